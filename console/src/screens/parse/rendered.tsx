import { createContext, memo, type ReactNode, useContext, useState } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { buildUrl } from '../../api/client.ts';
import { useLanguage } from '../../i18n/language.ts';
import { t } from '../../i18n/messages.ts';
import styles from '../chat/markdown.module.css';
import { htmlElements } from './html-elements.ts';
import view from './parse.module.css';

/** Id of the file whose figures the Markdown shows. `undefined` shows their alternative texts. */
const FileContext = createContext<string | undefined>(undefined);

/** Renders the Markdown of a parsed document. Nothing in the document is executed or loaded from elsewhere. */
export default memo(function Rendered({ text, fileId }: { text: string; fileId: string | undefined }) {
  useLanguage();
  return (
    <FileContext.Provider value={fileId}>
      <div className={styles.text}>
        <ReactMarkdown remarkPlugins={REMARK} rehypePlugins={REHYPE} components={COMPONENTS}>
          {text}
        </ReactMarkdown>
      </div>
    </FileContext.Provider>
  );
});

const REMARK = [remarkGfm];
const REHYPE = [htmlElements];

/** Creates a heading of a document as text, so that the page's outline has only headings of the console. */
const heading = (level: number) => {
  const className = level < 3 ? view.heading : undefined;
  return ({ children }: { children?: ReactNode }) => (
    <p className={className}>
      <strong>{children}</strong>
    </p>
  );
};

const COMPONENTS: Components = {
  ...{ h1: heading(1), h2: heading(2), h3: heading(3), h4: heading(4), h5: heading(5), h6: heading(6) },
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
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className={styles.wide} aria-label={t('Table')} tabIndex={0}>
      <table>{children}</table>
    </section>
  ),
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <pre className={styles.wide} tabIndex={0}>
      {children}
    </pre>
  ),
};

/** Shows a figure of the document, whose Markdown refers to it by a name such as `page_2_figure_1.png`. */
function Figure({ name, alt }: { name: string; alt: string }) {
  const fileId = useContext(FileContext);
  const [isMissing, setMissing] = useState(false);
  const figure = /(?:^|\/)(page_(\d{1,5})_figure_\d{1,5}\.(?:png|jpg|jpeg|webp|gif))$/.exec(name);
  if (!fileId || !figure || isMissing) return alt ? <em>{alt}</em> : null;
  const params = { id: fileId, page_index: Number(figure[2]) - 1, figure_name: figure[1]! };
  return (
    <img
      src={buildUrl({ path: '/api/v1/files/{id}/page-figures/{page_index}/{figure_name}', params })}
      alt={alt || t('Figure of page {page}', { page: figure[2]! })}
      loading="lazy"
      onError={() => setMissing(true)}
    />
  );
}
