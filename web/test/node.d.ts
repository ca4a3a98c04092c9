// What the tests use of Node.js.
declare module "node:fs" {
  export function readFileSync(path: string): Uint8Array<ArrayBuffer>;
  export function existsSync(path: string): boolean;
}
declare module "node:zlib" {
  export function gunzipSync(data: Uint8Array): Uint8Array<ArrayBuffer>;
}
