import { Component, type ReactNode } from 'react';
import { t } from '../i18n/messages.ts';
import { Page } from './page.tsx';
import { Failure } from './states.tsx';

interface Props {
  /** The boundary clears its error when this key changes, for example on another page. */
  resetKey: string;
  children: ReactNode;
  /** Content in place of children that cannot be rendered. Defaults to a page with the error. */
  fallback?: ReactNode;
}

/** Shows a rendering error in place of its children. The rest of the page stays usable. */
export class ErrorBoundary extends Component<Props, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate({ resetKey }: Props) {
    if (resetKey !== this.props.resetKey && this.state.error !== undefined) {
      this.setState({ error: undefined });
    }
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    if (this.props.fallback !== undefined) return this.props.fallback;
    return (
      <Page title={t('Page stopped')}>
        <Failure
          error={error}
          what={t('This page has stopped because of an error')}
          onRetry={() => this.setState({ error: undefined })}
        />
      </Page>
    );
  }
}
