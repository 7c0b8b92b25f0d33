// Shows open inbox items outside the page: a dot on the tab's icon, a number on an installed app.
import { useEffect } from "react";

import { useInboxCount } from "@/features/shell/use-overview";
import icon from "@/icon.svg?raw";

const DOT = '<circle cx="12.5" cy="3.5" r="3.5" fill="#bf7a00" stroke="none"/>';

interface Badged {
  setAppBadge?: (count: number) => Promise<void>;
}

export function useTabBadge(): void {
  const waiting = useInboxCount();
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (link !== null)
      link.href = `data:image/svg+xml,${encodeURIComponent(waiting > 0 ? icon.replace("</svg>", `${DOT}</svg>`) : icon)}`;
    void (navigator as Badged).setAppBadge?.(waiting).catch(() => undefined);
  }, [waiting]);
}
