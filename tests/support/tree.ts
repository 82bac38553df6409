/** A tree as the plain value it stands for. @module */
import type { Tree } from "../../lib/config/tree.ts";

export function plain(tree: Tree | undefined): unknown {
  switch (tree?.kind) {
    case "map":
      return Object.fromEntries([...tree.entries].map(([key, entry]) => [key, plain(entry)]));
    case "list":
      return tree.items.map(plain);
    case "string":
      return tree.text;
    case "number":
      return Number(tree.text);
    case "boolean":
      return tree.value;
    case "null":
      return null;
    case undefined:
      return undefined;
  }
}
