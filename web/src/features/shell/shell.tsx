// The frame around every page: sidebar or tabs, the state of the connection, keys, one live region.
import { useRef, type ReactNode } from "react";

import { Notifier } from "@/features/inbox/notifications/browser-notifications";
import { ConnectionNotice } from "./connection-status";
import { KeysDialog, useShortcuts } from "./keyboard-shortcuts";
import { LiveRegion } from "./live-region";
import { Sidebar } from "./sidebar";
import { TabBar } from "./tab-bar";

export function Shell({ children }: { children: ReactNode }) {
  const keys = useRef<HTMLDialogElement>(null);
  useShortcuts(() => keys.current?.showModal());
  return (
    <div className="shell">
      <a className="skip button" href="#main">
        Skip to the page
      </a>
      <Sidebar />
      <main id="main" tabIndex={-1}>
        <ConnectionNotice />
        {children}
      </main>
      <TabBar />
      <KeysDialog dialog={keys} />
      <LiveRegion />
      <Notifier />
    </div>
  );
}
