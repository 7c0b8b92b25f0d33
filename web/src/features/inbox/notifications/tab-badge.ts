// How many things wait, where it is seen without looking at the page: a dot on the tab's icon, a number on an installed one.
import { useEffect } from "react";

import icon from "@/icon.svg?raw";
import { useWaitingCount } from "@/features/shell/use-overview";

const DOT = '<circle cx="12.5" cy="3.5" r="3.5" fill="#bf7a00" stroke="none"/>';

interface Badged {
  setAppBadge?: (count: number) => Promise<void>;
}

export function useBadge(): void {
  const waiting = useWaitingCount();
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (link !== null) link.href = `data:image/svg+xml,${encodeURIComponent(waiting > 0 ? icon.replace("</svg>", `${DOT}</svg>`) : icon)}`;
    void (navigator as Badged).setAppBadge?.(waiting).catch(() => undefined);
  }, [waiting]);
}
