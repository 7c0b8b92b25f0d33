import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";

import { useTint } from "./use-change-highlight";

afterEach(cleanup);

function Row({ what }: { what: string }) {
  return <p ref={useTint<HTMLParagraphElement>(what)}>{what}</p>;
}

test("a row is tinted when what it shows has changed, and not at first or for those who want no motion", () => {
  const animate = vi.fn();
  HTMLElement.prototype.animate = animate;
  const motion = vi.spyOn(window, "matchMedia").mockReturnValue({ matches: false } as MediaQueryList);
  const { rerender } = render(<Row what="working" />);
  rerender(<Row what="working" />);
  expect(animate).not.toHaveBeenCalled();
  rerender(<Row what="claimed" />);
  expect(animate).toHaveBeenCalledTimes(1);

  motion.mockReturnValue({ matches: true } as MediaQueryList);
  rerender(<Row what="failed" />);
  expect(animate).toHaveBeenCalledTimes(1);
});
