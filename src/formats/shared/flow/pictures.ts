import type { Box, EncodedImage, Omission, Page } from '#src/documents/document.ts';
import { StrictModeError } from '#src/documents/errors.ts';
import { readImageHeader } from '#src/images/header.ts';
import type { ParsePlan } from '#src/parse/plan.ts';
import type { Run } from './runs.ts';

export interface ImageOptions {
  alt?: string | undefined;
  box?: Box | undefined;
}

/** A picture that a document refers to by a name or an address. */
export interface NamedImage {
  /** True if the document refers to a picture that it does not contain. */
  missing: boolean;
  /** The run that shows the picture in a line, or `undefined` if the picture is not shown. */
  run: Run | undefined;
}

/** Pictures with a side shorter than this many pixels are treated as bullets, rules or tracking pixels. */
const NOISE_PIXELS = 24;
const MAX_FIGURES = 2_000;

/** The pictures of a document and the pages that show them. Each picture is stored once. */
export class FlowPictures {
  readonly images = new Map<string, EncodedImage>();
  readonly #plan: ParsePlan;
  readonly #nameByBytes = new Map<string, string>();
  readonly #bySource = new Map<string, { missing: boolean; name: string | undefined }>();
  readonly #shownNames = new Map<Page, Set<string>>();

  readonly #omit: (omission: Omission) => void;

  /** `omit` is called for each picture that cannot be stored. */
  constructor(plan: ParsePlan, omit: (omission: Omission) => void = () => {}) {
    this.#plan = plan;
    this.#omit = omit;
  }

  /** Stores a picture and shows it on a page. Returns `undefined` if the picture cannot be shown. */
  show(page: Page, bytes: Uint8Array, options: ImageOptions): Run | undefined {
    return this.#showStored(page, this.#store(bytes), options);
  }

  /**
   * Shows a picture that a document may refer to many times. `load` is called for the first reference only.
   * It returns `undefined` if the document does not contain the picture.
   */
  showNamed(
    page: Page,
    source: string,
    load: () => Uint8Array | undefined,
    options: ImageOptions,
  ): NamedImage {
    let known = this.#bySource.get(source);
    if (!known) {
      const bytes = load();
      known = { missing: !bytes, name: bytes && this.#store(bytes) };
      this.#bySource.set(source, known);
    }
    return { missing: known.missing, run: this.#showStored(page, known.name, options) };
  }

  /** Marks pictures as decoration if they are on at least three pages and on more than half of all pages. */
  markRepeated(pages: readonly Page[]): void {
    const uses = new Map<string, number>();
    for (const page of pages) {
      for (const { name } of page.figures) uses.set(name, (uses.get(name) ?? 0) + 1);
    }
    for (const page of pages) {
      for (const figure of page.figures) {
        const count = uses.get(figure.name) ?? 0;
        if (count >= 3 && count * 2 > pages.length) {
          figure.isLikelyNoise = true;
          figure.confidence = 0.3;
        }
      }
    }
  }

  /**
   * Stores a picture and returns its name. Identical bytes get the same name. Returns `undefined` if the
   * picture is not stored.
   */
  #store(bytes: Uint8Array): string | undefined {
    if (!this.#plan.images.extract) return undefined;
    const header = readImageHeader(bytes);
    if (!header && this.#plan.pages.strict.images) {
      const message = 'a picture in the file is damaged or has an unsupported format';
      throw StrictModeError.forParameter('strict_mode_image_extraction', 'FILE_IS_BROKEN', message);
    }
    if (!header) {
      const message = `A picture of ${bytes.length} bytes was skipped because it is damaged or has an unsupported format.`;
      this.#omit({ kind: 'picture_not_read', message });
      return undefined;
    }
    if (this.images.size >= MAX_FIGURES) {
      const message = `A picture was skipped because the file has more than ${MAX_FIGURES} pictures.`;
      this.#omit({ kind: 'too_many_pictures', message });
      return undefined;
    }
    let hash = 0x811c9dc5;
    for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
    const key = `${bytes.length}:${hash >>> 0}`;
    const known = this.#nameByBytes.get(key);
    if (known) return known;
    const extension = header.mimeType.slice('image/'.length).replace('jpeg', 'jpg');
    const name = `image-${this.images.size + 1}.${extension}`;
    this.images.set(name, { bytes, ...header });
    this.#nameByBytes.set(key, name);
    return name;
  }

  #showStored(page: Page, name: string | undefined, { alt = '', box }: ImageOptions): Run | undefined {
    const image = name === undefined ? undefined : this.images.get(name);
    if (name === undefined || !image) return undefined;
    const { mimeType, width, height } = image;
    const tiny = width < NOISE_PIXELS || height < NOISE_PIXELS;
    const shown = this.#shownNames.get(page) ?? new Set<string>();
    this.#shownNames.set(page, shown);
    if (!shown.has(name)) {
      shown.add(name);
      page.figures.push({
        name,
        pageIndex: page.index,
        mimeType,
        width,
        height,
        byteSize: image.bytes.length,
        confidence: tiny ? 0.2 : 0.95,
        isLikelyNoise: tiny,
        ...(box && { box }),
      });
    }
    if (tiny) return undefined;
    const description = alt.replace(/\s+/g, ' ').replace(/[[\]]/g, '').trim();
    return { text: description, markdown: `![${description}](${name})` };
  }
}
