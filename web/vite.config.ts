import { defineConfig, type UserConfig } from "vite";

// `SEAKEEP=http://127.0.0.1:9901 npx vite preview` shows what was built with a
// program that runs.
const program = { "/api": process.env.SEAKEEP ?? "http://127.0.0.1:9901" };

// Everything is found from the page's own folder, so that the built folder can
// be put anywhere on any web server. "make site" builds Try it alone.
export default defineConfig(({ mode }) => ({
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  server: { fs: { allow: [".."] } },
  preview: { proxy: program },
  worker: { format: "es" },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { checks: { bundlerTimings: false }, input: mode === "site" ? { try: "try.html" } : { index: "index.html", try: "try.html" } },
  },
  test: { environment: "happy-dom", include: ["test/**/*.test.{ts,tsx}"] },
}) as UserConfig);
