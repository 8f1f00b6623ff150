// The texts of the example buttons. The first one's tokens stand in index.html (tools/gen_page.mjs).

/** @type {Readonly<Record<string, string>>} */
export const EXAMPLES = Object.freeze({
  sinhala: "හවසට වැස්ස නැවතුණු පසු අපි වෙරළ දිගේ ඇවිද ගියෙමු. ආච්චි කියූ කතාව අහද්දී ක්ෂිතිජය රන්වන් පාට විය.",
  hindi: "शाम को बारिश थमने के बाद हम समुद्र के किनारे टहलने निकले। दादी की कहानी सुनते-सुनते क्षितिज सुनहरा हो गया।",
  english:
    "When the rain stopped in the evening we walked along the shore. While grandmother told her story, the horizon turned to gold.",
  mixed:
    "ඔයා 1 special अद्भुत\n" +
    "ශ්‍රී ලංකාවේ වෙරළ සුන්දරයි; हम कल समुद्र किनारे मिले। See you at 10:45.",
  code:
    'def greet(names: list[str]) -> str:\n    """Say hello in two languages."""\n' +
    '    # नमस्ते or ආයුබෝවන්, whichever fits\n    return ", ".join(f"Hello {name}!" for name in names)\n',
  emoji: "👩‍👩‍👧 🇱🇰 👋🏽 ❤️‍🔥 𓀀 and ක්‍ෂ, श्री, ॐ",
});

/** The conversation that the chat begins with. */
export const CHAT = Object.freeze([
  Object.freeze({ role: "system", content: "Answer in one short sentence." }),
  Object.freeze({ role: "user", content: "ක්ෂිතිජය කියන්නේ මොකක්ද?" }),
]);
