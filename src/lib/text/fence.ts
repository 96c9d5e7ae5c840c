/** Returns a delimiter that no document can contain, because it is made anew for each prompt. */
export const newFence = (): string => `DOCUMENT-${crypto.randomUUID().replaceAll('-', '')}`;

/** Puts a document's text between the delimiters of a prompt. */
export const enclose = (fence: string, text: string): string => `<${fence}>\n${text}\n</${fence}>`;
