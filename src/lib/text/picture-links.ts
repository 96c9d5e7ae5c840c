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

/** An image that is a paragraph by itself, with the blank line before it. */
const PARAGRAPH = /(?:^|\n\n)!\[([^[\]\n]*)\]\(([^()\s]*)(?:\s+"[^"\n]*")?\)(?=\n\n|$)/g;
/** Name of a figure or cut-out that the parser stored beside a page. An address that serves the figure has folders. */
const STORED_FIGURE = /^page_\d+_(?:figure|layout_[a-z]+)_\d+\.(?:png|jpg)$/;
/** A target on another host, or with a scheme. */
const ELSEWHERE = /^(?:[a-z][a-z\d+.-]*:|\/\/)/i;

/**
 * Replaces images whose files are parts of the parsed document by their alternative text, before the Markdown is cut
 * into chunks. Images at web addresses stay: the author wrote the address.
 */
export function dropOwnPictures(markdown: string): string {
  return dropWhere(markdown, (target) => !ELSEWHERE.test(target));
}

/** Replaces images of stored figures by their alternative text, in chunks of indexes that were built with the links. */
export function dropStoredFigures(markdown: string): string {
  return dropWhere(markdown, (target) => STORED_FIGURE.test(target));
}

function dropWhere(markdown: string, isDropped: (target: string) => boolean): string {
  if (!markdown.includes('![')) return markdown;
  const says = (alt: string, target: string) => (repeatsFileName(alt, target) ? '' : alt);
  return markdown
    .replaceAll(PARAGRAPH, (whole, alt: string, target: string) =>
      isDropped(target) && says(alt, target) === '' ? '' : whole,
    )
    .replaceAll(IMAGE, (whole, alt: string, target: string) =>
      isDropped(target) ? says(alt, target) : whole,
    );
}
