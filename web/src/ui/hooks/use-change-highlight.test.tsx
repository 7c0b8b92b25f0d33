import { render } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { useChangeHighlight } from "./use-change-highlight";

function Row({ what }: { what: string }) {
  return <p ref={useChangeHighlight<HTMLParagraphElement>(what)}>{what}</p>;
}

test("a row is highlighted when it changes, but not at first and not with reduced motion", () => {
  const animate = vi.fn();
  HTMLElement.prototype.animate = animate;
  const motion = vi.spyOn(window, "matchMedia").mockReturnValue({ matches: false } as MediaQueryList);
  const { rerender } = render(<Row what="working" />);
  rerender(<Row what="working" />);
  expect(animate).not.toHaveBeenCalled();
  rerender(<Row what="proved" />);
  expect(animate).toHaveBeenCalledTimes(1);

  motion.mockReturnValue({ matches: true } as MediaQueryList);
  rerender(<Row what="failed" />);
  expect(animate).toHaveBeenCalledTimes(1);
});
