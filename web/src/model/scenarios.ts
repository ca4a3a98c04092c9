// The scenarios and policies of the repository, by their path from the folder of
// the scenarios.
const found = import.meta.glob<string>("../../../testdata/scenarios/**/*.yaml", {
  eager: true,
  query: "?raw",
  import: "default",
});

export const files: Record<string, string> = Object.fromEntries(
  Object.entries(found).map(([path, text]) => [path.replace(/^.*\/scenarios\//, ""), text]),
);
