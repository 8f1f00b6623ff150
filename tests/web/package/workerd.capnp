using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  compatibilityDate = "2026-01-01",
  modules = [
    (name = "worker", esModule = embed "built/workerd-entry.js"),
    (name = "wwho.wasm", wasm = embed "node_modules/wwho/wwho.wasm"),
    (name = "o200k_base.wwho", data = embed "node_modules/wwho/models/o200k_base.wwho"),
  ],
);
