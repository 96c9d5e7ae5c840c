import format from 'icu-minify/format';
import { Children, type ReactElement, type ReactNode } from 'react';
import { getFormatTag, MESSAGE_FORMATTERS } from './formatters.ts';

type CompiledMessage = Parameters<typeof format>[0];

/**
 * Message as the build writes it into the code if it has placeholders: the English text, which is the key of
 * its translations, and its parsed form.
 */
type BuiltMessage = readonly [text: string, compiled: CompiledMessage];

/** Translations by English message. */
export type Catalog = Readonly<Record<string, CompiledMessage>>;

type TextValues = Record<string, string | number>;
type RichValues = Record<string, string | number | ((chunks: ReactNode[]) => ReactElement)>;

/** Accepts string literals only, because the build and the catalogs have to know every message. */
type Literal<Text extends string> = string extends Text ? never : Text;

let catalog: Catalog = {};

/** Replaces the translations. An empty catalog shows every message in English. */
export function setCatalog(next: Catalog): void {
  catalog = next;
}

/**
 * Translates an English message in ICU MessageFormat into the current language, for example
 * `t('{count, plural, one {# file} other {# files}}', { count })`. Call it while rendering or handling an
 * event, not while a module is loaded, so that the text follows the language.
 */
export function t<const Text extends string>(message: Literal<Text>, values?: TextValues): string {
  return translate(message, values) as string;
}

/**
 * Translates a message that contains elements, for example
 * `rich('Read <link>the guide</link>.', { link: (chunks) => <a href="/docs">{chunks}</a> })`.
 */
export function rich<const Text extends string>(message: Literal<Text>, values: RichValues): ReactNode {
  const parts = translate(message, values);
  return typeof parts === 'string' ? parts : Children.toArray(parts as ReactNode);
}

function translate(message: string | BuiltMessage, values?: RichValues) {
  const [text, english] = typeof message === 'string' ? [message, message] : message;
  const translation = catalog[text];
  return format(translation ?? english, translation === undefined ? 'en' : getFormatTag(), values, {
    formatters: MESSAGE_FORMATTERS,
  });
}
