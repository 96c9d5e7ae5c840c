import { Upstream } from '#src/lib/errors.ts';
import { refusesTexts } from '#src/ports/embedder.ts';

const TOO_LARGE = 413;
type EmbedTexts = (texts: string[]) => Promise<Float32Array[]>;

/** Gives a batch to `embed`; what the provider refuses for its size goes there in halves. */
export type EmbedSplitting = (texts: string[], embed: EmbedTexts) => Promise<Float32Array[]>;

/**
 * Remembers what was refused whole and taken in halves, so that later batches come no larger. A text that is refused
 * by itself fails its batch with an error that says so, in the provider's status.
 */
export function splitBatches(): EmbedSplitting {
  let most = Number.POSITIVE_INFINITY;

  async function halves(texts: string[], embed: EmbedTexts): Promise<Float32Array[]> {
    const middle = Math.ceil(texts.length / 2);
    const first = await split(texts.slice(0, middle), embed, true);
    return [...first, ...(await split(texts.slice(middle), embed, true))];
  }

  async function split(texts: string[], embed: EmbedTexts, isPart = false): Promise<Float32Array[]> {
    if (texts.length > most) return halves(texts, embed);
    try {
      return await embed(texts);
    } catch (error) {
      if (!refusesTexts(error)) throw error;
      if (texts.length === 1)
        throw isPart || error.status === TOO_LARGE ? ofOneText(texts[0]!, error) : error;
    }
    const vectors = await halves(texts, embed);
    most = Math.min(most, Math.ceil(texts.length / 2));
    return vectors;
  }

  return (texts, embed) => split(texts, embed);
}

function ofOneText({ length }: string, error: Upstream): Upstream {
  const { status, message } = error;
  const why = status === TOO_LARGE ? 'is too large for the model by itself' : 'is refused by itself';
  return new Upstream(`A text of ${length} characters ${why}: ${message}`, {
    retryable: false,
    status,
    cause: error,
  });
}
