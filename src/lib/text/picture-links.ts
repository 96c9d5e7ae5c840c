/** Matches a Markdown image and captures its alternative text and its target. */
const IMAGE = /!\[([^[\]\n]*)\]\(([^()\s]*)(?:\s+"[^"\n]*")?\)/g;

/**
 * Replaces each image in a Markdown text by its alternative text. An alternative text that only repeats the
 * file name does not help a reader, so such an image is removed.
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

/** Matches an image that is a paragraph by itself, with the blank line before it. */
const PARAGRAPH = /(?:^|\n\n)!\[([^[\]\n]*)\]\(([^()\s]*)(?:\s+"[^"\n]*")?\)(?=\n\n|$)/g;
/**
 * Matches the name of a figure or cut-out that the parser stored with a page. Web addresses of figures
 * contain folders and do not match.
 */
const STORED_FIGURE = /^page_\d+_(?:figure|layout_[a-z]+)_\d+\.(?:png|jpg)$/;
/** Matches a target on another host or with a scheme. */
const ELSEWHERE = /^(?:[a-z][a-z\d+.-]*:|\/\/)/i;

/**
 * Replaces images whose files are parts of the parsed document by their alternative text, before the Markdown is cut
 * into chunks. Images at web addresses stay: the author wrote the address.
 */
export function dropDocumentPictures(markdown: string): string {
  return dropWhere(markdown, (target) => !ELSEWHERE.test(target));
}

/** Replaces images of stored figures by their alternative text, in chunks of indexes that were built with the links. */
export function dropStoredFigures(markdown: string): string {
  return dropWhere(markdown, (target) => STORED_FIGURE.test(target));
}

function dropWhere(markdown: string, isDropped: (target: string) => boolean): string {
  if (!markdown.includes('![')) return markdown;
  const getReplacement = (alt: string, target: string) => (repeatsFileName(alt, target) ? '' : alt);
  return markdown
    .replaceAll(PARAGRAPH, (whole, alt: string, target: string) =>
      isDropped(target) && getReplacement(alt, target) === '' ? '' : whole,
    )
    .replaceAll(IMAGE, (whole, alt: string, target: string) =>
      isDropped(target) ? getReplacement(alt, target) : whole,
    );
}
