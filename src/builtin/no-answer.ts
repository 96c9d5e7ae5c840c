import { detectLanguage } from '#src/lib/text/language.ts';

const NO_ANSWER: Record<string, string> = {
  ar: 'لم يُعثر في المستندات على ما يجيب عن هذا السؤال.',
  cs: 'V dokumentech nebylo nalezeno nic, co by na tuto otázku odpovídalo.',
  da: 'Der blev ikke fundet noget i dokumenterne, som besvarer dette spørgsmål.',
  de: 'In den Dokumenten wurde nichts gefunden, was diese Frage beantwortet.',
  el: 'Δεν βρέθηκε στα έγγραφα κάτι που να απαντά σε αυτή την ερώτηση.',
  en: 'Nothing in the documents was found that answers this question.',
  es: 'No se encontró en los documentos nada que responda a esta pregunta.',
  fi: 'Asiakirjoista ei löytynyt mitään, mikä vastaisi tähän kysymykseen.',
  fr: "Rien dans les documents n'a été trouvé qui réponde à cette question.",
  he: 'לא נמצא במסמכים דבר שעונה על השאלה הזאת.',
  hu: 'A dokumentumokban nem található semmi, ami választ adna erre a kérdésre.',
  it: 'Nei documenti non è stato trovato nulla che risponda a questa domanda.',
  ja: 'この質問に答える内容は文書の中に見つかりませんでした。',
  ko: '문서에서 이 질문에 답하는 내용을 찾지 못했습니다.',
  nl: 'In de documenten is niets gevonden dat deze vraag beantwoordt.',
  no: 'Det ble ikke funnet noe i dokumentene som besvarer dette spørsmålet.',
  pl: 'W dokumentach nie znaleziono niczego, co odpowiada na to pytanie.',
  pt: 'Não foi encontrado nos documentos nada que responda a esta pergunta.',
  ro: 'În documente nu s-a găsit nimic care să răspundă la această întrebare.',
  ru: 'В документах не найдено ничего, что отвечало бы на этот вопрос.',
  sv: 'Inget i dokumenten hittades som besvarar den här frågan.',
  tr: 'Belgelerde bu soruyu yanıtlayan bir şey bulunamadı.',
  uk: 'У документах не знайдено нічого, що відповідало б на це запитання.',
  zh: '文档中没有找到能回答这个问题的内容。',
};

/** Says that nothing was found, in the question's language where it is known, else in English. */
export function noAnswer(question: string): string {
  return NO_ANSWER[detectLanguage(question) ?? 'en'] ?? NO_ANSWER.en!;
}
