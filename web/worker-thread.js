// The program of the Workers that worker.js starts.

import { Tokenizer, init } from "./index.js";
import { serveWorker } from "./lib/far-side.js";

serveWorker({ init, Tokenizer });
