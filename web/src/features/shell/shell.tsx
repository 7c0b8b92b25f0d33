// The frame around every page: sidebar or tabs, connection state, keyboard shortcuts and announcements.
import { type ReactNode, useRef } from "react";

import { ConnectionNotice } from "./connection-status";
import { KeysDialog, useShortcuts } from "./keyboard/keyboard-shortcuts";
import { LiveRegion } from "./live-region";
import { Sidebar } from "./navigation/sidebar";
import { TabBar } from "./navigation/tab-bar";
import { BrowserNotifications } from "./notifications/browser-notifications";
import { CommandPalette } from "./palette/command-palette";

export function Shell({ children }: { children: ReactNode }) {
  const keys = useRef<HTMLDialogElement>(null);
  useShortcuts(() => keys.current?.showModal());
  return (
    <div className="shell">
      <a className="skip button" href="#main">
        Skip to content
      </a>
      <Sidebar />
      <main id="main" tabIndex={-1}>
        <ConnectionNotice />
        {children}
      </main>
      <TabBar />
      <CommandPalette />
      <KeysDialog dialog={keys} />
      <LiveRegion />
      <BrowserNotifications />
    </div>
  );
}
