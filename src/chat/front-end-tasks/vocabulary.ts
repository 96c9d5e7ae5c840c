import type { FrontEndTask } from '../model-request.ts';

type Kind = Exclude<FrontEndTask['kind'], 'other'>;

/** Words for a conversation, followed by nothing that makes it a conversation in a document. */
const CONVERSATION =
  /(?:\b(?:chat|conversations?|dialog(?:ue)?s?|chat history|messages|transcript|gespr[aä]chs?|unterhaltung|chatverlaufs?|conversación|conversaciones|conversa|charla|historial|échange|discussion)\b(?!\s(?:between|with|in|of|on|from|at|zwischen|mit|entre|con|avec|dans)\b)|对话|對話|会话|會話|聊天|会話|チャット|대화)/iu;

/** Words that point at the conversation in which they are said. */
const THIS_CONVERSATION =
  /\b(?:this|our|the above|above|entire|whole|current|so far|diese[rsnm]?|unsere[rsnm]?|bisherige[rsnm]?|esta|nuestra|cette|notre|ci-dessus)\b|上述|以上|这|這|本|この|上記|위|이 대화/iu;

/** Verbs that ask for a text to be written. */
const VERB =
  /\b(?:generate|create|write|provide|suggest|give|propose|produce|make|come up with|determine|analy[sz]e|extracts?|rewrite|rephrase|summari[sz]e|categori[sz]e|return|output|erzeuge|erstelle|schreibe?|gib|nenne|formuliere|fasse|genera|crea|escribe|proporciona|sugiere|resume|génère|générez|crée|créez|écris|écrivez|donne|donnez|propose|rédige|résume|résumez)\b|生成|总结|總結|归纳|给出|提供|提炼|请|請|作成|要約|まとめ|考えて|付けて|생성|작성/iu;

/** Heading and polite words before a request. */
const OPENING =
  /^(?:[\s#*>-]|(?:task|instructions?|aufgabe|tarea|tâche)\s?:|(?:now|please|kindly|could you|can you|bitte|kannst du|por favor|s'il (?:te|vous) plaît)[\s,])*/iu;

/** Languages that put the verb last. */
const VERB_LAST = /(?:ください|下さい|してくれ|작성해|생성해)/u;

/** Rules about the form of the answer, which people seldom give and programs always do. */
const OUTPUT_RULE =
  /\bjson\b|\b(?:only|solely|exclusively|strictly)\b.{0,40}\b(?:return|output|respond|reply|the title|the question)|\b(?:return|output|respond|reply|answer)\b.{0,40}\b(?:only|solely|exclusively|strictly)\b|\b(?:\d{1,4}|two|three|four|five|six|ten)[-\s](?:to[-\s]\d{1,4}[-\s])?(?:words?|characters?|wörter|palabras|mots)\b|\d{1,4}\s?(?:个|個)?(?:字|文字)|\bprovide:\s|\bstandalone (?:question|query)\s?:/iu;

/** What is asked for. The first one that matches earliest in a prompt counts, except for summaries. */
const KINDS: Record<Exclude<Kind, 'summary'>, RegExp> = {
  question:
    /\bstand-?alone (?:question|query|version)\b|eigenständige[rn]? frage|pregunta independiente|question autonome|独立(?:的)?问题|独立した質問/iu,
  follow_ups:
    /\bfollow[-\s]?ups?\b|\b(?:next|quick)[-\s](?:questions?|prompts?|repl(?:y|ies))\b|\b(?:folge|anschluss)fragen\b|preguntas de seguimiento|questions? de suivi|后续问题|追问|フォローアップ|次の質問|후속 질문/iu,
  queries:
    /\b(?:search|retrieval|web)[-\s]?quer(?:y|ies)\b|\bsuchanfragen?\b|consultas? de búsqueda|requêtes? de recherche|搜索(?:查询|词|关键词)|検索クエリ/iu,
  tags: /(?<!>\s|xml\s|html\s)\btags?\b|\bkeywords?\b|\bschlagw(?:ort|örter)\b|\bstichw(?:ort|örter)\b|\betiquetas?\b|\bétiquettes?\b|\bmots[-\s]clés\b|标签|標籤|タグ|태그/iu,
  title: /\btitles?\b|\btitels?\b|\büberschrift\b|\btítulos?\b|\btitres?\b|标题|標題|タイトル|제목/iu,
};
const SUMMARY =
  /\bsummar(?:y|ies|i[sz]e|i[sz]ing)\b|\bzusammenfass\w*|\bfasse\b|\bresum(?:en|e|ir)\b|\brésum\w*|总结|總結|摘要|要約|요약/iu;

/** Returns what a prompt asks for about a conversation. Returns `undefined` if it asks for nothing of the kind. */
export function classifyPrompt(prompt: string): Kind | undefined {
  if (!VERB.test(prompt)) return undefined;
  if (KINDS.question.test(prompt)) return 'question';
  if (!CONVERSATION.test(prompt)) return undefined;
  const found = (Object.keys(KINDS) as (keyof typeof KINDS)[])
    .map((kind) => ({ kind, at: prompt.search(KINDS[kind]) }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at);
  return found[0]?.kind ?? (SUMMARY.test(prompt) ? 'summary' : undefined);
}

/** Returns whether a text begins with a request to write something. */
const isImperative = (text: string): boolean => text.replace(OPENING, '').search(VERB) === 0;

/** Returns whether a prompt reads as a program wrote it: it begins with a request or rules the form of the answer. */
export const isWrittenByProgram = (prompt: string): boolean =>
  OUTPUT_RULE.test(prompt) || isImperative(prompt) || VERB_LAST.test(prompt);

/**
 * Returns whether a message asks for something about the conversation that it belongs to, as in "Write a title for this
 * chat". A summary has to point at the conversation, because documents contain conversations too.
 */
export const asksAboutOwnConversation = (message: string, kind: Kind): boolean =>
  (isImperative(message) || VERB_LAST.test(message)) &&
  CONVERSATION.test(message) &&
  (kind !== 'summary' || THIS_CONVERSATION.test(message));
