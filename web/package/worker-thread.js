// The program of the Workers that worker.js starts.

import { serveWorker } from "./lib/far-side.js";
import { Tokenizer, init } from "./tokenizer.js";

serveWorker({ init, Tokenizer });
