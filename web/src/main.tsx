// Starts the page: one client for queries, one socket, one tree.
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { BrowserRouter } from "react-router";

import { queries } from "@/api/use-tool";
import { setSignedIn, watchOtherTabs } from "@/api/signed-in";
import { App } from "@/app";
import { watchPresence } from "@/features/shell/last-visit";
import { live } from "@/live/live-connection";
import { applyTheme } from "@/ui/theme";
import "@/ui/styles/index.css";

applyTheme();
watchPresence();
watchOtherTabs((signedIn) => signedIn || setSignedIn(false));
live.start();

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <BrowserRouter>
        <App />
      </BrowserRouter>
    </QueryClientProvider>
  </StrictMode>,
);
