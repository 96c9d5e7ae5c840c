import { type ChatProtocol, type Ending, joinContentText, USAGE } from './protocol.ts';

interface Body {
  systemInstruction?: { parts: unknown };
  contents: { role: string; parts: unknown }[];
  generationConfig?: { responseMimeType?: string; responseJsonSchema?: unknown };
}

const FINISH = { whole: 'STOP', cut: 'MAX_TOKENS', refused: 'SAFETY' };

const answer = (text: string, ending: Ending | undefined) => ({
  candidates: [
    {
      index: 0,
      content: { role: 'model', parts: text === '' ? [] : [{ text }] },
      ...(ending && { finishReason: FINISH[ending] }),
    },
  ],
  usageMetadata: {
    promptTokenCount: USAGE.input,
    candidatesTokenCount: USAGE.output,
    totalTokenCount: USAGE.input + USAGE.output,
  },
});

/** `generateContent` of Gemini and Vertex AI. */
export const geminiContent: ChatProtocol = {
  streams: (url) => url.pathname.endsWith(':streamGenerateContent'),
  read(body) {
    const { systemInstruction, contents, generationConfig: config } = body as Body;
    const schema = config?.responseJsonSchema;
    return {
      system: joinContentText(systemInstruction?.parts),
      prompt: joinContentText(contents[0]?.parts),
      ...(config?.responseMimeType && { strict: schema !== undefined }),
      ...(schema !== undefined && { schema }),
    };
  },
  write: (text, ending) => answer(text, ending),
  events: (pieces, ending) =>
    pieces.map((text, index) => ({
      data: answer(text, index === pieces.length - 1 ? ending : undefined),
    })),
};
