// An encoding that is named in an import: in the bundle of any bundler.

import { load } from "wwho/wwho_328k";

import { show } from "./show.js";

const enc = load();
show({ name: enc.name, count: enc.countTokens("ඔයා 1 special अद्भुत") });
