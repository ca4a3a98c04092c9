import { defineConfig } from "vite";

// Everything is found from the page's own folder, so that the built folder can
// be put anywhere on any web server.
export default defineConfig({
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  server: { fs: { allow: [".."] } },
  worker: { format: "es" },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: { try: "try.html" } },
  },
  test: { environment: "happy-dom", include: ["test/**/*.test.{ts,tsx}"] },
} as Parameters<typeof defineConfig>[0]);
