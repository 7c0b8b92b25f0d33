import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// MISSION_PAGE_OUT is the target folder of the build; web/build.py sets it.
export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
  build: {
    outDir: process.env.MISSION_PAGE_OUT ?? "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0, // the page's policy forbids data: scripts and styles
    chunkSizeWarningLimit: 900,
    target: "es2022",
  },
  worker: { format: "es" },
  server: {
    proxy: {
      "/api": process.env.MISSION_URL ?? "http://127.0.0.1:6477",
      "/ws": { target: process.env.MISSION_URL ?? "http://127.0.0.1:6477", ws: true },
    },
  },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/testing/setup.ts"],
    pool: "threads",
    isolate: false,
    testTimeout: 60_000,
  },
});
