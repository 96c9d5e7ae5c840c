import { createContext, memo, type ReactNode, useContext, useMemo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { buildUrl } from '../../api/client.ts';
import { useLanguage } from '../../i18n/language.ts';
import { t } from '../../i18n/messages.ts';
import { classes } from '../../ui/classes.ts';
import { CitationMark } from './citation-mark.tsx';
import { citeMarks } from './cite-marks.ts';
import type { MarkdownBlock } from './large-blocks.ts';
import { markRanges, type TextRange } from './mark-ranges.ts';
import styles from './markdown.module.css';
import { splitIntoBlocks } from './markdown-blocks.ts';
import type { Source } from './messages.ts';
import { useGradualCount } from './use-gradual-count.ts';

interface MarkdownContextValue {
  sources: readonly Source[];
  onOpen?: ((source: Source) => void) | undefined;
}

interface MarkdownProps extends MarkdownContextValue {
  text: string;
  /** Ranges of the text that are marked. Pass the same array in every render. */
  marked?: readonly TextRange[];
}

const MarkdownContext = createContext<MarkdownContextValue>({ sources: [] });

/**
 * Renders untrusted Markdown of a model or a document. HTML is shown as text, links open in a new tab, and
 * the only images are figures of the cited documents.
 */
export const Markdown = memo(function Markdown({ text, sources, onOpen, marked = NO_RANGES }: MarkdownProps) {
  const contextValue = useMemo(() => ({ sources, onOpen }), [sources, onOpen]);
  const blocks = useMemo(() => splitIntoBlocks(text), [text]);
  const count = useGradualCount(blocks);
  return (
    <MarkdownContext.Provider value={contextValue}>
      <div className={styles.text} aria-busy={count < blocks.length || undefined}>
        {blocks.slice(0, count).map((block, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks never move, because text is only appended
          <Block key={position} {...toBlockProps(block)} marked={marked} />
        ))}
      </div>
    </MarkdownContext.Provider>
  );
});

const toBlockProps = ({ text, start, prefix, part }: MarkdownBlock) => ({
  text,
  offset: start - prefix,
  isPart: part !== undefined,
  isLater: part?.isLater ?? false,
  columns: part?.columns,
});

interface BlockProps extends ReturnType<typeof toBlockProps> {
  marked: readonly TextRange[];
}

/** Memoized, so that only the last block of a growing answer is parsed again. */
const Block = memo(function Block({ text, offset, isPart, isLater, columns, marked }: BlockProps) {
  useLanguage();
  const plugins = useMemo(() => {
    const ranges = marked
      .map(({ start, end }) => ({ start: start - offset, end: end - offset }))
      .filter(({ start, end }) => start < text.length && end > 0);
    return ranges.length > 0 ? [[markRanges, { ranges, source: text }] as const, citeMarks] : REHYPE;
  }, [marked, offset, text]);
  const rendered = (
    <ReactMarkdown remarkPlugins={REMARK} rehypePlugins={plugins as typeof REHYPE} components={COMPONENTS}>
      {text}
    </ReactMarkdown>
  );
  if (!isPart) return rendered;
  return (
    <PartContext.Provider value={columns ?? 0}>
      <div className={classes(styles.part, isLater && styles.later)}>{rendered}</div>
    </PartContext.Provider>
  );
});

/** Number of columns if the block is a part of a larger block, and 0 if that is no table. Undefined for whole blocks. */
const PartContext = createContext<number | undefined>(undefined);

const NO_RANGES: readonly TextRange[] = [];

const REMARK = [remarkGfm];
const REHYPE = [citeMarks];

/** Headings within an answer are rendered as bold text, so that they do not appear in the page's outline. */
const Heading = ({ children }: { children?: ReactNode }) => (
  <p dir="auto">
    <strong>{children}</strong>
  </p>
);

const COMPONENTS: Components = {
  p: ({ children }) => <p dir="auto">{children}</p>,
  li: ({ children }) => <li dir="auto">{children}</li>,
  ul: ({ children }) => <ul dir="auto">{children}</ul>,
  ol: ({ children, start }) => (
    <ol dir="auto" start={start}>
      {children}
    </ol>
  ),
  blockquote: ({ children }) => <blockquote dir="auto">{children}</blockquote>,
  th: ({ children, style }) => (
    <th dir="auto" style={style}>
      {children}
    </th>
  ),
  td: ({ children, style }) => (
    <td dir="auto" style={style}>
      {children}
    </td>
  ),
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  a: ({ href, children }) =>
    /^(?:https?|mailto):/i.test(href ?? '') ? (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    ) : (
      children
    ),
  img: ({ src, alt }) => <Figure name={typeof src === 'string' ? src : ''} alt={alt ?? ''} />,
  input: ({ checked }) => (checked ? '☑ ' : '☐ '),
  cite: ({ children }) => <Mark number={Number(children)} />,
  table: ({ children }) => <Table>{children}</Table>,
  pre: ({ children }) => <Code>{children}</Code>,
};

/** Maximum number of columns of a part of a table that fits into the width of an answer. */
const MAX_FITTING_COLUMNS = 8;

/** The parts of a large table have columns of the same width, whatever they contain. */
function Table({ children }: { children?: ReactNode }) {
  const columns = useContext(PartContext);
  if (columns && columns <= MAX_FITTING_COLUMNS) {
    return (
      <table className={styles.even} dir="auto">
        {children}
      </table>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className={styles.wide} aria-label={t('Table')} tabIndex={0}>
      <table dir="auto">{children}</table>
    </section>
  );
}

/** The lines of large code are wrapped, because its parts would scroll independently. */
function Code({ children }: { children?: ReactNode }) {
  if (useContext(PartContext) !== undefined) {
    return (
      <pre className={styles.code} dir="ltr">
        {children}
      </pre>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <pre className={styles.wide} tabIndex={0} dir="ltr">
      {children}
    </pre>
  );
}

function Mark({ number }: { number: number }) {
  const { sources, onOpen } = useContext(MarkdownContext);
  const source = sources.find(({ citation }) => citation === number);
  return source && onOpen ? <CitationMark source={source} onOpen={onOpen} /> : `[${number}]`;
}

/** Shows a figure of a document page. Chunks refer to figures by names such as `page_2_figure_1.png`. */
function Figure({ name, alt }: { name: string; alt: string }) {
  const { sources } = useContext(MarkdownContext);
  const page = /^page_(\d{1,5})_figure_\d{1,5}\.(?:png|jpg)$/.exec(name)?.[1];
  const source = page && sources.find(({ file_id, text }) => file_id && text.includes(`(${name})`));
  if (!source) return alt ? <em>{alt}</em> : null;
  const params = { id: source.file_id, page_index: Number(page) - 1, figure_name: name };
  const path = '/api/v1/files/{id}/page-figures/{page_index}/{figure_name}';
  return <img src={buildUrl({ path, params })} alt={t('Figure of page {page}', { page })} loading="lazy" />;
}
