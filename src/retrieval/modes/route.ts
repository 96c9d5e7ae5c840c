import { generateText, type LanguageModel, Output } from 'ai';
import { getModelName } from '#src/ports/language-model.ts';
import { modelOrBuiltin } from '#src/ports/model-or-builtin.ts';
import type { Report } from '#src/retrieval/ports.ts';

export type Mode = 'chunks' | 'files_via_content' | 'files_via_metadata';

const BUILTIN = 'builtin/wording-1';
const TIMEOUT_MS = 15_000;

const DESCRIPTIONS: Record<Mode, string> = {
  chunks: 'a question that some passages answer',
  files_via_content: 'asks about a whole document, such as for a summary, and tells it by what it is about',
  files_via_metadata: 'asks for a document by its name, type, date, author or other description',
};

/** Matches a file name with its extension, or words that introduce a file name. */
const FILE_NAME_PATTERN =
  /[\p{L}\p{N}_)-]\.(?:pdf|docx?|pptx?|xlsx?|csv|tsv|txt|md|html?|json|xml|eml|odt|epub|rtf|tex|adoc|rst|org|vtt|srt|ipynb|png|jpe?g)\b|\b(?:file|document|report|datei|dokument|fichier|archivo|documento)\s+(?:named|called|titled|entitled|namens|nommé|intitulé|llamado|titulado|chiamato)(?!\p{L})|(?<!\p{L})(?:файл|документ)\p{L}*\s+(?:с именем|под названием)|名为.{1,60}的(?:文件|文档)/iu;
/** Matches words that refer to a whole document rather than to something in it. */
const WHOLE_FILE_PATTERN =
  /\b(?:summari[sz]e|summary|synopsis|tl;?dr|gist|overview of|outline of|full text of|(?:the|this|that)\s+(?:entire|whole|full|complete)\s+(?:text|file|document|report|paper|contract|article|transcript)|zusammenfass\p{L}*|fasse\b.{0,200}\bzusammen|gesamte[sn]?\s+(?:text|dokument|datei)|résum\p{L}*|resum\p{L}*|riassu\p{L}*|samenvat\p{L}*|tout le (?:texte|document))(?!\p{L})|(?<!\p{L})(?:резюм\p{L}*|кратк\p{L}+ содержани\p{L}*|весь (?:текст|документ|файл)|перескаж\p{L}*)|总结|概括|摘要|全文/iu;

/** Chooses a retrieval mode by the wording of the query. */
export function chooseModeByWording(query: string): Mode {
  if (FILE_NAME_PATTERN.test(query)) return 'files_via_metadata';
  return WHOLE_FILE_PATTERN.test(query) ? 'files_via_content' : 'chunks';
}

/**
 * Chooses a mode for `auto_routed`. The model chooses if one is configured, otherwise the wording of the
 * query decides.
 */
export async function chooseMode(
  query: string,
  model: LanguageModel | undefined,
  { notes }: Pick<Report, 'notes'>,
): Promise<Mode> {
  return modelOrBuiltin(
    'router',
    notes,
    model && { name: getModelName(model), run: () => askModel(query, model) },
    { name: BUILTIN, run: () => chooseModeByWording(query) },
  );
}

async function askModel(query: string, model: LanguageModel): Promise<Mode> {
  const modes = Object.keys(DESCRIPTIONS) as Mode[];
  const described = modes.map((mode) => `- ${mode}: ${DESCRIPTIONS[mode]}`).join('\n');
  const { output } = await generateText({
    model,
    temperature: 0,
    maxRetries: 0,
    abortSignal: AbortSignal.timeout(TIMEOUT_MS),
    output: Output.choice({ options: modes }),
    system: `You decide how to retrieve for a query. Answer with JSON {"result": one of these}:\n${described}`,
    prompt: query,
  });
  return output;
}
