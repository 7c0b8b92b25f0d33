// Starts the page: one query client, one socket, one React tree.
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { BrowserRouter } from "react-router";

import { setSignedIn, watchOtherTabs } from "@/api/signed-in";
import { queries } from "@/api/use-tool";
import { App } from "@/app";
import { recordVisits } from "@/features/shell/last-visit";
import { live } from "@/live/live-connection";
import { applyTheme } from "@/ui/theme";
import "@/ui/styles/index.css";

applyTheme();
recordVisits();
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
