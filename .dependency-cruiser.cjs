// The rooms of docs/architecture.md: who may import whom.
const rooms = ["runtime", "bytes", "crypto", "wire", "sealed", "mls", "store", "leaf"];
const core = (names) => `^assembly/(${names.join("|")})/`;

/** A room of the core may import itself and the rooms in `allowed`, besides board.ts where `board` is set. */
const room = (name, allowed, board = false) => ({
  name: `core-${name}`,
  comment: `assembly/${name} imports only ${[...allowed, name].join(", ")}${board ? " and board.ts" : ""}`,
  severity: "error",
  from: { path: `^assembly/${name}/`, pathNot: "/internals\\.ts$" },
  to: { pathNot: [core([...allowed, name]), ...(board ? ["^assembly/board\\.ts$"] : [])] },
});

const packages = (name, allowed) => ({
  name: `package-${name}`,
  comment: `${name} imports only ${[name, ...allowed].join(", ")} of the project`,
  severity: "error",
  from: { path: `^${name}/` },
  to: {
    path: "^(assembly|host|footprint|interop|flash-tools|scripts)/",
    pathNot: [name, ...allowed].map((other) => `^${other}/`),
  },
});

module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-unresolvable",
      severity: "error",
      from: { pathNot: "^assembly/" },
      to: { couldNotResolve: true, pathNot: "^assemblyscript/" },
    },
    room("runtime", []),
    room("bytes", ["runtime"]),
    room("crypto", ["runtime", "bytes"]),
    room("wire", ["runtime", "bytes", "crypto"]),
    room("sealed", ["runtime", "bytes", "crypto", "wire"]),
    room("mls", ["runtime", "bytes", "crypto"]),
    room("store", ["runtime", "bytes", "crypto"], true),
    room(
      "leaf",
      rooms.filter((name) => name !== "leaf"),
      true,
    ),
    packages("footprint", []),
    packages("interop", []),
    packages("host", ["footprint", "interop", "flash-tools"]),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(node_modules|build|tests?)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      extensions: [".ts", ".js"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
    },
  },
};
