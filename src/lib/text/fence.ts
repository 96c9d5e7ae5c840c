/**
 * Returns a random delimiter for a document inside a prompt. Each prompt gets a new delimiter, so no document
 * can contain it.
 */
export const newFence = (): string => `DOCUMENT-${crypto.randomUUID().replaceAll('-', '')}`;

export const enclose = (fence: string, text: string): string => `<${fence}>\n${text}\n</${fence}>`;
