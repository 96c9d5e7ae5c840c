import { loadable } from '../../shell/loadable.tsx';
import { ErrorBoundary } from '../../ui/error-boundary.tsx';
import view from './parse.module.css';

const Rendered = loadable(() => import('./rendered.tsx'));

/** Rendered Markdown, whose code is loaded when it is first shown. Markdown that cannot be rendered is shown as source. */
export const LazyRendered = ({ text, fileId }: { text: string; fileId: string | undefined }) => (
  <ErrorBoundary resetKey={text} fallback={<pre className={view.text}>{text}</pre>}>
    <Rendered text={text} fileId={fileId} />
  </ErrorBoundary>
);
