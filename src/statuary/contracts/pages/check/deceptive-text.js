// Deceptive text: invisible characters, and letters of other scripts that look like Latin ones.

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/u;
const LETTERS = /\p{L}/gu;
const LOOK_ALIKE = new Set(
  "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425" +
  "\u04ae\u04ba\u050c\u051a\u051c\u0430\u0432\u0435\u0455\u0456\u0458\u043a\u043c\u043d\u043e" +
  "\u0440\u0441\u0442\u0443\u0445\u04af\u04bb\u0501\u051b\u051d\u04cf" +
  "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03b1" +
  "\u03b3\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u03f2\u03f3" +
  "\u0555\u054f\u054d\u0578\u057d\u0581\u0570\u0585\u0566\u053c" +
  "\u13aa\u13f4\u13df\u13a0\u13ac\u13bb\u13ab\u13e6\u13b7\u13e2\u13da\u13a2\u13d9\u13d4\u13c3",
);

const isAscii = (text) => !/[^\0-\x7f]/.test(text);
const isStyled = (letter) => !isAscii(letter) && isAscii(letter.normalize("NFKC"));

/** Whether a word's letters imitate Latin ones: all of them, or some in a text that has Latin letters too. */
function imitates(word, hasLatin) {
  const letters = word.match(LETTERS) ?? [];
  const alike = letters.filter((letter) => LOOK_ALIKE.has(letter));
  return alike.length > 0 && (hasLatin || alike.length === letters.length);
}

export function isDeceptive(text) {
  if (INVISIBLE.test(text)) return true;
  if (isAscii(text)) return false;
  if ((text.match(LETTERS) ?? []).some(isStyled)) return true;
  const hasLatin = /[A-Za-z]/.test(text);
  return text.split(/\s+/).some((word) => imitates(word, hasLatin));
}
