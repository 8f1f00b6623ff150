// The same three sentences in several languages, written for this page.

/** @type {readonly { lang: string, name: string, own: string, text: string }[]} the first is what the others are measured by */
export const PARALLEL = Object.freeze([
  {
    lang: "en",
    name: "English",
    own: "English",
    text: "Good morning. The shop opens at eight o’clock. Please bring an umbrella, because it may rain in the afternoon.",
  },
  {
    lang: "si",
    name: "Sinhala",
    own: "සිංහල",
    text: "සුබ උදෑසනක්. කඩය උදේ අටට විවෘත වේ. කරුණාකර කුඩයක් රැගෙන එන්න, මන්ද පස්වරුවේ වැසි ඇති විය හැකිය.",
  },
  {
    lang: "hi",
    name: "Hindi",
    own: "हिन्दी",
    text: "सुप्रभात। दुकान आठ बजे खुलती है। कृपया छाता साथ लाएँ, क्योंकि दोपहर बाद बारिश हो सकती है।",
  },
  {
    lang: "mr",
    name: "Marathi",
    own: "मराठी",
    text: "सुप्रभात. दुकान आठ वाजता उघडते. कृपया छत्री सोबत आणा, कारण दुपारनंतर पाऊस पडू शकतो.",
  },
  {
    lang: "ne",
    name: "Nepali",
    own: "नेपाली",
    text: "शुभ प्रभात। पसल आठ बजे खुल्छ। कृपया छाता लिएर आउनुहोस्, किनभने दिउँसो पानी पर्न सक्छ।",
  },
  {
    lang: "ta",
    name: "Tamil",
    own: "தமிழ்",
    text: "காலை வணக்கம். கடை எட்டு மணிக்குத் திறக்கும். தயவுசெய்து குடை கொண்டு வாருங்கள், ஏனெனில் பிற்பகலில் மழை பெய்யலாம்.",
  },
  {
    lang: "ar",
    name: "Arabic",
    own: "العربية",
    text: "صباح الخير. يفتح المتجر في الساعة الثامنة. من فضلك أحضر مظلة، فقد تمطر بعد الظهر.",
  },
  {
    lang: "ru",
    name: "Russian",
    own: "Русский",
    text: "Доброе утро. Магазин открывается в восемь часов. Пожалуйста, возьмите зонт: днём может пойти дождь.",
  },
  {
    lang: "zh",
    name: "Chinese",
    own: "中文",
    text: "早上好。商店八点开门。请带上雨伞，因为下午可能会下雨。",
  },
  {
    lang: "ja",
    name: "Japanese",
    own: "日本語",
    text: "おはようございます。店は八時に開きます。午後は雨が降るかもしれないので、傘を持ってきてください。",
  },
  {
    lang: "de",
    name: "German",
    own: "Deutsch",
    text: "Guten Morgen. Der Laden öffnet um acht Uhr. Bitte bringen Sie einen Regenschirm mit, denn am Nachmittag kann es regnen.",
  },
  {
    lang: "fr",
    name: "French",
    own: "Français",
    text: "Bonjour. Le magasin ouvre à huit heures. Apportez un parapluie, s’il vous plaît, car il pourrait pleuvoir cet après-midi.",
  },
  {
    lang: "es",
    name: "Spanish",
    own: "Español",
    text: "Buenos días. La tienda abre a las ocho. Por favor, traiga un paraguas, porque puede llover por la tarde.",
  },
]);
