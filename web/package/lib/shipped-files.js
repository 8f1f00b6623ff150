// The encodings as files next to the package: for browsers, and for bundlers that copy what `new URL` names literally.

/** Functions that return the address of each encoding's file: a literal each, because bundlers cannot follow a computed address. Written by tools/build_npm.py. */
export const ENCODINGS = {
  cl100k_base: () => new URL("../models/cl100k_base.wwho", import.meta.url),
  gpt2: () => new URL("../models/gpt2.wwho", import.meta.url),
  o200k_base: () => new URL("../models/o200k_base.wwho", import.meta.url),
  o200k_harmony: () => new URL("../models/o200k_harmony.wwho", import.meta.url),
  p50k_base: () => new URL("../models/p50k_base.wwho", import.meta.url),
  p50k_edit: () => new URL("../models/p50k_edit.wwho", import.meta.url),
  r50k_base: () => new URL("../models/r50k_base.wwho", import.meta.url),
  wwho_128k: () => new URL("../models/wwho_128k.wwho", import.meta.url),
  wwho_131k_indic: () => new URL("../models/wwho_131k_indic.wwho", import.meta.url),
  wwho_200k_indic: () => new URL("../models/wwho_200k_indic.wwho", import.meta.url),
  wwho_328k: () => new URL("../models/wwho_328k.wwho", import.meta.url),
  wwho_400k: () => new URL("../models/wwho_400k.wwho", import.meta.url),
  wwho_super_328k: () => new URL("../models/wwho_super_328k.wwho", import.meta.url),
  wwho_super_400k: () => new URL("../models/wwho_super_400k.wwho", import.meta.url),
};
