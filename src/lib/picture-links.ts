/** An image of Markdown: its alternative text, and where its file is. */
const IMAGE = /!\[([^[\]\n]*)\]\(([^()\s]*)(?:\s+"[^"\n]*")?\)/g;

/**
 * Replaces each image in a Markdown text by its alternative text. An alternative text that only repeats the name of the
 * file says nothing to a reader, so such an image is removed.
 */
export function dropPictureLinks(markdown: string): string {
  return markdown.replaceAll(IMAGE, (_, alt: string, target: string) =>
    repeatsFileName(alt, target) ? '' : alt,
  );
}

/** Returns whether the alternative text of an image is the name of its file. */
export function repeatsFileName(alt: string, target: string): boolean {
  const name = target.slice(target.lastIndexOf('/') + 1);
  return alt !== '' && (alt === target || alt === name || encodeURIComponent(alt) === name);
}
