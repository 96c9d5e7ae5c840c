import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createContext } from '#src/context/context.ts';
import { derivedId } from '#src/lib/ids.ts';
import { storeDeadLetter } from '#src/services/operating/dead-letters.ts';
import type { Message } from '#src/work/messages.ts';

/** Stores a message as a dead letter and returns its id. */
export async function kept(message: Message): Promise<string> {
  const messageId = crypto.randomUUID();
  await storeDeadLetter(createContext(env, createExecutionContext()), messageId, message.type, message);
  return derivedId('dead-letter', messageId);
}

/** Returns a message for work that no longer exists. */
export const deadLetterOf = (type: 'deliver-webhook' | 'extract') =>
  kept({ type, jobId: crypto.randomUUID() });
