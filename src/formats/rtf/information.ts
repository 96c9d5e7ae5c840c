import type { DocumentMetadata } from '#src/documents/document.ts';

const DATE_PARTS = new Set(['yr', 'mo', 'dy', 'hr', 'min']);

/** Collects the properties of an RTF document. The fields have the names of their control words. */
export class RtfInformation {
  readonly #texts: Record<string, string> = {};
  readonly #dates: Record<string, number[]> = {};

  addText(field: string, text: string): void {
    this.#texts[field] = (this.#texts[field] ?? '') + text;
  }

  /** Adds a part of a date, in the order from year to minute. Returns false for other control words. */
  addDatePart(field: string, word: string, value: number | undefined): boolean {
    if (!DATE_PARTS.has(word)) return false;
    this.#dates[field] ??= [];
    this.#dates[field].push(value ?? 0);
    return true;
  }

  get metadata(): DocumentMetadata {
    const { title, author, subject } = this.#texts;
    return {
      title: title?.trim(),
      author: author?.trim(),
      subject,
      createdAt: this.#date('creatim'),
      modifiedAt: this.#date('revtim'),
    };
  }

  #date(field: string): string | undefined {
    const [year, month = 1, day = 1, hour = 0, minute = 0] = this.#dates[field] ?? [];
    const time = year ? new Date(Date.UTC(year, month - 1, day, hour, minute)) : undefined;
    return time && !Number.isNaN(time.getTime()) ? time.toISOString() : undefined;
  }
}
