// What gpt-tokenizer exports beside its functions: the texts of special tokens, and two settings.

export const ALL_SPECIAL_TOKENS = "all";
export const DEFAULT_MERGE_CACHE_SIZE = 100_000;
export const EndOfPrompt = "<|endofprompt|>";
export const EndOfText = "<|endoftext|>";
export const FimMiddle = "<|fim_middle|>";
export const FimPrefix = "<|fim_prefix|>";
export const FimSuffix = "<|fim_suffix|>";
export const HarmonyCall = "<|call|>";
export const HarmonyChannel = "<|channel|>";
export const HarmonyConstrain = "<|constrain|>";
export const HarmonyEnd = "<|end|>";
export const HarmonyMessage = "<|message|>";
export const HarmonyReturn = "<|return|>";
export const HarmonyStart = "<|start|>";
export const HarmonyStartOfText = "<|startoftext|>";
export const ImEnd = "<|im_end|>";
export const ImSep = "<|im_sep|>";
export const ImStart = "<|im_start|>";
