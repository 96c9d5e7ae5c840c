/** Scripts that belong to one language, or to one that is by far the likeliest. */
const SCRIPTS: [RegExp, string][] = [
  [/[\p{sc=Hiragana}\p{sc=Katakana}]/gu, 'ja'],
  [/\p{sc=Hangul}/gu, 'ko'],
  [/\p{sc=Han}/gu, 'zh'],
  [/\p{sc=Arabic}/gu, 'ar'],
  [/\p{sc=Hebrew}/gu, 'he'],
  [/\p{sc=Greek}/gu, 'el'],
  [/\p{sc=Thai}/gu, 'th'],
  [/\p{sc=Devanagari}/gu, 'hi'],
  [/\p{sc=Bengali}/gu, 'bn'],
  [/\p{sc=Gurmukhi}/gu, 'pa'],
  [/\p{sc=Gujarati}/gu, 'gu'],
  [/\p{sc=Oriya}/gu, 'or'],
  [/\p{sc=Tamil}/gu, 'ta'],
  [/\p{sc=Telugu}/gu, 'te'],
  [/\p{sc=Kannada}/gu, 'kn'],
  [/\p{sc=Malayalam}/gu, 'ml'],
  [/\p{sc=Sinhala}/gu, 'si'],
  [/\p{sc=Lao}/gu, 'lo'],
  [/\p{sc=Khmer}/gu, 'km'],
  [/\p{sc=Myanmar}/gu, 'my'],
  [/\p{sc=Tibetan}/gu, 'bo'],
  [/\p{sc=Georgian}/gu, 'ka'],
  [/\p{sc=Armenian}/gu, 'hy'],
  [/\p{sc=Ethiopic}/gu, 'am'],
  [/\p{sc=Cyrillic}/gu, 'cyrillic'],
  [/\p{sc=Latin}/gu, 'latin'],
];

/** The commonest words of each language that its neighbours do not share, or share at another frequency. */
const WORDS: Record<string, string> = {
  en: 'the of and to in is that for it as was with be by on not he his are this at from or have an they which you were her all their has would will what there can who been more if out so we',
  nl: 'de het een van en in is dat op te voor met zijn niet aan er om ook als dan maar bij nog uit naar door over heeft worden wordt deze dit wat was werd hij zij geen meer hebben kan tot wij je ik of zal onze',
  fr: 'le la les des et est une un du dans que pour qui sur pas plus par avec au ce sont il ne se aux cette elle nous vous mais ou leur été être ont ses comme tout fait à d l qu n’ l’ d’ où très',
  de: 'der die das und ist nicht ein eine zu den von mit sich des auf für im dem auch als an es wird sind aus bei nach werden einer hat um noch wie einem über einen so zum war haben oder durch kann ich wir nur',
  es: 'el la los las de que y en un una por con para es se del no al lo como más pero sus su ha fue está son este entre también hasta donde desde muy sin sobre ser nos hay cuando todo esta ya o años',
  it: 'il la di che e un una per non sono del della con si da dei le al nel alla più gli come anche ma lo questo ha delle è dal sua suo essere i in ed ai o degli nella perché loro stato tra se ci quando',
  pt: 'o a os as de que e em um uma para com não do da dos das no na por mais se ao como foi mas é são pelo pela seu sua ou ser também até isso há está nos já quando muito sobre entre você ele nas tem',
  pl: 'i w na z do nie się że jest to o jak po co ale przez dla od za są tak tego czy jego był być może jej które który przy oraz lub już tylko tym było ma ich przed został roku ze bardzo także',
  sv: 'och att det i en som är på för av med den till inte ett har de om var vi men kan från så vid eller när han jag hon då ska sig nu ut över där skulle efter också än mycket detta hade alla andra sin',
  da: 'og at det i en er som på for af med den til ikke et har de om var vi men kan fra så ved eller når han jeg hun da skal sig nu ud over der ville efter også end meget dette havde blev bliver være noget kun af',
  no: 'og å det i en er som på for av med den til ikke et har de om var vi men kan fra så ved eller når han jeg hun da skal seg nå ut over der ville etter også enn mye dette hadde ble blir være noe bare av fra',
  fi: 'ja on ei se että oli mutta hän ovat kun niin myös joka tai kuin ole mukaan sen jos olla vain sekä voi tämä siitä mitä nyt sitä ollut hänen vielä minä jotka ennen kanssa eli joita he sitten niitä kaikki',
  tr: 've bir bu için ile de da olarak olan çok daha en gibi kadar sonra var ne ama her değil olduğu veya o ise tarafından göre ya ki mi yıl bunu ben şey iki ilk diye nasıl bana sen büyük üzerinde yeni',
  ro: 'și de la în a cu nu este o pe un că din care mai pentru se au fost sunt prin sau să ca al ale fi dar am după lui ce acest această lor cele sa ei când între foarte ar fie unei are aceste',
  cs: 'a se na je v že to s z o i do ve k pro by jsem ale si po jako jsou tak od za který která jeho být ze není nebo až však byl bylo při která které už také mezi roku má může jen tím této',
  hu: 'a az és hogy nem is egy ez meg csak volt van de ha azt mint már el ki még vagy itt lehet kell akkor ezt minden nagy majd mert lesz sem pedig után sok első annak között által olyan valamint ezek amely aki',
  vi: 'và của là có được trong cho các một không với những người này khi đã tại năm từ để về như cũng đến trên ra vào nhiều hơn sau đó theo nhưng vì sẽ bị do nên rằng thì mà ở hay hoặc cùng lại còn chỉ ông họ bởi giữa hai làm',
  ru: 'и в не на что с он как это по но из у за то все его от так о для был она бы или только мне ещё было вы если уже к этого когда они при до быть их во ни том который мы были также после',
  af: 'die en van in is het nie wat met vir om aan as word op ook sy dat sal kan hulle maar deur uit een of hy na by hierdie',
  az: 'və bir bu ilə üçün olan də ki daha çox sonra idi onun kimi hər olaraq isə ən edir olub həmin',
  ca: 'els les i a una amb per és va més dels seu seva són pel aquest aquesta també fou però aquests segle any',
  cy: 'y yn o a i ar mae ac yr gan oedd am fod gyda ei wedi hyn bod neu fel eu wrth',
  et: 'ja on ei et oli see ka kui mis oma ta aga või kes ning selle ole nii siis välja pärast tema sest mida järgi kuni kõik',
  eu: 'eta da ez bat dira izan zen du ere baina edo hau ziren bere den dela dute egin zuen beste arte',
  ga: 'an na agus ar is i le a do go bhí sé ag tá de sin leis nó chun faoi ó raibh',
  hr: 'i u je na se da su za od s sa koji koja koje kao ne bio bila što ili nije ali iz po do bi ovo kako sve može već prema nakon',
  id: 'yang dan di dari untuk dengan pada adalah ini itu dalam tidak oleh sebagai ke juga telah akan atau karena tersebut menjadi dapat mereka bisa saya kami lebih',
  is: 'og að í á er sem til var um við með fyrir en af eru það ekki hann frá eða þessi voru þá hún því eftir sér hefur',
  lt: 'ir yra į kad su iš tai buvo nuo kaip už bet ne dėl jo po kurie tik bei pagal taip apie šis jis ar arba jau kai',
  lv: 'un ir ar no uz par ka kas bija tika arī pēc kā vai lai tas pie bet šis to savu tiek nav tās tā viņš līdz',
  sk: 'a v sa na je že do s z o pre ako aj ale od po za pri bol bola ktorý ktorá ktoré sú nie boli však svoj ich len už alebo bolo tiež',
  sl: 'in je v na se za so da ki ter z s pri kot od po iz ni tudi bil bila ali do lahko pa še ko ima ga bilo zaradi med',
  sq: 'të e në dhe i për me një që është nga se si nuk më ka u do ishte ai kjo janë por ky ose prej',
  sw: 'ya na wa kwa ni katika la za cha kama hii hiyo pia au lakini wake yake kuwa ambayo ambao watu baada hadi kati hivyo sana zaidi vya huo',
  tl: 'ang ng sa na mga ay at ni si ito mula para kung may hindi isang kanyang bilang nito noong kay upang siya',
  be: 'і ў на з у не да што як па ад для за ён гэта быў былі яго або але якія таксама',
  bg: 'на и в да се за от с по е не са че като до през който която към със това или беше има след го така още ще',
  sr: 'и у је на се да су за од са који која које као не био што или није али из по до би након',
  uk: 'і в не на що з він як це по але із у за то все його від так про для був вона б або тільки мені ще було ви якщо вже до цього коли вони при бути їх та й є який ми були також після під років її цей ця ці цього цьому цим яка яке які що',
};

/** Letters that settle the matter between neighbours, worth a common word each. */
const LETTERS: Record<string, RegExp> = {
  nl: /ij|aa|oe/g,
  fr: /[œèê]|ç|eux\b/g,
  de: /[ßäü]|sch/g,
  es: /[ñ¿¡]|ción/g,
  it: /zione|gli\b|[ìò]/g,
  pt: /[ãõ]|ção|lh/g,
  pl: /[łąężźśćń]|sz|cz/g,
  sv: /ä|ö/g,
  da: /æ|ø/g,
  no: /æ|ø|kj/g,
  fi: /ää|yy|uu|aa|ii|kk/g,
  tr: /[ışğ]|yor|[ae]r[iı]|[dt][ae]n?\b|ürü/g,
  ro: /[țşţșă]/g,
  cs: /[řěůžščý]/g,
  hu: /[őű]|sz|gy|ny/g,
  vi: /[ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/g,
  ru: /[ыэъё]|ени|ого/g,
  az: /ə/g,
  et: /õ|ää|üü/g,
  hr: /đ|ije|nj/g,
  is: /[þð]/g,
  lt: /[ėųįę]/g,
  lv: /[ģķļņāēī]/g,
  sk: /[ľĺŕô]/g,
  be: /ў/g,
  bg: /ът\b|щ[аеи]/g,
  sr: /[ђћџљњј]/g,
  uk: /[іїєґ]|ць|ськ|ння/g,
};

const CYRILLIC = ['ru', 'uk', 'be', 'bg', 'sr'];
/** Smaller than a neighbour that has the same common words: a doubtful text is the neighbour's. */
const SMALLER = new Set([
  'af',
  'az',
  'be',
  'bg',
  'ca',
  'cy',
  'et',
  'eu',
  'ga',
  'hr',
  'is',
  'lv',
  'sk',
  'sl',
  'sq',
  'sr',
]);
const SMALLER_SHARE = 0.8;
/** Of these one word is not enough: "see" is a word of English too, and "Ng" a name. */
const SELDOM_MEANT = new Set([...SMALLER, 'id', 'lt', 'sw', 'tl']);
const LEAST = { usually: 0.5, seldom: 1.2 };
const LATIN = Object.keys(WORDS).filter((code) => !CYRILLIC.includes(code));
const SAMPLE = 4_000;
const LETTER_WEIGHT = 0.15;
/** In prose so many of the words are common ones of its language; fewer in a text of some length, and it is another's. */
const LEAST_COMMON = 0.05;
const SOME_LENGTH = 30;

const languagesOf = new Map<string, string[]>();
for (const [code, list] of Object.entries(WORDS)) {
  for (const word of new Set(list.split(' ')))
    languagesOf.set(word, [...(languagesOf.get(word) ?? []), code]);
}

/** Whether a language is known by its script, or by letters of its own in it, and not by its words. */
export const isOfOwnScript = (code: string): boolean => WORDS[code] === undefined;
export const isCyrillic = (code: string): boolean => CYRILLIC.includes(code);

/** The commonest words of a language; none of one that is told by its script. */
export const commonWordsOf = (code: string): string[] => WORDS[code]?.split(' ') ?? [];

/** ISO 639-1 of the language most of a text's beginning is written in; undefined when it does not show. */
export function detectLanguage(text: string): string | undefined {
  const sample = text.slice(0, SAMPLE).normalize('NFC').toLowerCase();
  const counts = SCRIPTS.map(([letters, code]) => ({ code, count: sample.match(letters)?.length ?? 0 }));
  const kana = counts[0]!.count;
  const han = counts[2]!.count;
  // Japanese mixes kana with more Han than kana.
  if (kana > 0 && kana * 8 > han && kana + han > counts.at(-1)!.count / 4) return 'ja';
  // A Han letter or Hangul syllable says as much as several alphabetic letters.
  for (const entry of counts) if (['ko', 'zh'].includes(entry.code)) entry.count *= 3;
  const script = counts.reduce((best, entry) => (entry.count > best.count ? entry : best));
  if (script.count === 0) return undefined;
  if (script.code === 'cyrillic') return byWords(sample, CYRILLIC) ?? 'ru';
  if (script.code === 'latin') return byWords(sample, LATIN);
  return script.code === 'ar' ? byArabicLetters(sample, script.count) : script.code;
}

/** Persian and Urdu are written with letters that Arabic does not have, many in each line. */
function byArabicLetters(sample: string, letters: number): string {
  const isFrequent = (own: RegExp) => (sample.match(own)?.length ?? 0) > letters / 25;
  if (isFrequent(/[ٹڈڑںےھہ]/g)) return 'ur';
  return isFrequent(/[پچژگکی]/g) ? 'fa' : 'ar';
}

function byWords(sample: string, among: string[]): string | undefined {
  const scores = new Map<string, number>(among.map((code) => [code, 0]));
  const add = (code: string, weight: number) => {
    const score = scores.get(code);
    if (score !== undefined) scores.set(code, score + weight);
  };
  const words = sample.match(/[\p{L}\p{M}]+/gu) ?? [];
  for (const word of words) {
    const codes = languagesOf.get(word);
    if (codes) for (const code of codes) add(code, 1 / Math.sqrt(codes.length));
  }
  for (const code of among) {
    const pattern = LETTERS[code];
    if (pattern) add(code, (sample.match(pattern)?.length ?? 0) * LETTER_WEIGHT);
  }
  for (const code of SMALLER) add(code, (SMALLER_SHARE - 1) * (scores.get(code) ?? 0));
  const [best, second] = [...scores].sort((a, b) => b[1] - a[1]);
  if (!best || best[1] === second?.[1]) return undefined;
  if (best[1] < (SELDOM_MEANT.has(best[0]) ? LEAST.seldom : LEAST.usually)) return undefined;
  if (words.length >= SOME_LENGTH && best[1] < LEAST_COMMON * words.length) return undefined;
  return best[0];
}
