// The scenarios and policies of the repository, by their path from the folder of
// the scenarios.
const found = {
  ...import.meta.glob<string>("../../../testdata/scenarios/**/*.yaml", { eager: true, query: "?raw", import: "default" }),
  // Policies of elsewhere that scenarios name.
  ...import.meta.glob<string>(["../../../examples/checkout/seakeep.yaml", "../../../cmd/seakeep/demo/policy.yaml"],
    { eager: true, query: "?raw", import: "default" }),
};

const fromScenarios = (path: string) =>
  path.includes("/testdata/scenarios/") ? path.replace(/^.*\/scenarios\//, "") : path.replace("../../../", "../../");

export const files: Record<string, string> = Object.fromEntries(
  Object.entries(found).map(([path, text]) => [fromScenarios(path), text]),
);
