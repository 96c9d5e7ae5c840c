import { defineLanguages } from './define.ts';

/** Languages that are recognized by their script, because no other common language uses it. */
export const ownScriptLanguages = defineLanguages({
  ja: {
    script: /[\p{sc=Hiragana}\p{sc=Katakana}]/gu,
    followUp: /^(?:それ|その|これ|この|あれ|あの|そこ|ここ|彼|そして|では|じゃあ|でも|また)/u,
    noAnswer: 'この質問に答える内容は文書の中に見つかりませんでした。',
  },
  ko: {
    script: /\p{sc=Hangul}/gu,
    followUp: /^(?:그|이것|저것|그리고|그럼|그러면|하지만|또)/u,
    noAnswer: '문서에서 이 질문에 답하는 내용을 찾지 못했습니다.',
  },
  zh: {
    script: /\p{sc=Han}/gu,
    followUp: /^(?:它|他|她|那|这|這|该|該|其|还有|還有|以及|和)/u,
    noAnswer: '文档中没有找到能回答这个问题的内容。',
  },
  ar: {
    script: /\p{sc=Arabic}/gu,
    conjunctions: 'و أو لكن ثم',
    pronouns: 'هو هي هم هذا هذه ذلك تلك',
    noAnswer: 'لم يُعثر في المستندات على ما يجيب عن هذا السؤال.',
  },
  he: {
    script: /\p{sc=Hebrew}/gu,
    conjunctions: 'אבל או',
    pronouns: 'הוא היא הם הן זה זאת אלה שלו שלה',
    noAnswer: 'לא נמצא במסמכים דבר שעונה על השאלה הזאת.',
  },
  el: {
    script: /\p{sc=Greek}/gu,
    conjunctions: 'και ή αλλά',
    pronouns: 'αυτό αυτός αυτή αυτά αυτοί',
    noAnswer: 'Δεν βρέθηκε στα έγγραφα κάτι που να απαντά σε αυτή την ερώτηση.',
  },
  th: {
    script: /\p{sc=Thai}/gu,
  },
  hi: {
    script: /\p{sc=Devanagari}/gu,
    conjunctions: 'और या लेकिन',
    pronouns: 'यह वह ये वे इसका उसका इसके उसके इनका उनका',
  },
  bn: {
    script: /\p{sc=Bengali}/gu,
  },
  pa: {
    script: /\p{sc=Gurmukhi}/gu,
  },
  gu: {
    script: /\p{sc=Gujarati}/gu,
  },
  or: {
    script: /\p{sc=Oriya}/gu,
  },
  ta: {
    script: /\p{sc=Tamil}/gu,
  },
  te: {
    script: /\p{sc=Telugu}/gu,
  },
  kn: {
    script: /\p{sc=Kannada}/gu,
  },
  ml: {
    script: /\p{sc=Malayalam}/gu,
  },
  si: {
    script: /\p{sc=Sinhala}/gu,
  },
  lo: {
    script: /\p{sc=Lao}/gu,
  },
  km: {
    script: /\p{sc=Khmer}/gu,
  },
  my: {
    script: /\p{sc=Myanmar}/gu,
  },
  bo: {
    script: /\p{sc=Tibetan}/gu,
  },
  ka: {
    script: /\p{sc=Georgian}/gu,
  },
  hy: {
    script: /\p{sc=Armenian}/gu,
  },
  am: {
    script: /\p{sc=Ethiopic}/gu,
  },
});
