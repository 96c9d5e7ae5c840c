import { Link } from 'wouter';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Failure } from '../../ui/states.tsx';
import styles from './files.module.css';
import { useFolders } from './use-labels.ts';

/** Shows where the open folder lies, and links to its subfolders. Empty for a project without folders. */
export function FolderBar({ folder }: { folder: string }) {
  const pathTo = useProjectPath();
  const { items, error, refetch, readMore } = useFolders(folder);
  if (error) {
    return <Failure error={error} what={t('The folders could not be read')} onRetry={() => void refetch()} />;
  }
  if (folder === '' && items.length === 0) return null;
  const names = folder === '' ? [] : folder.split('/');
  const open = (path: string) => pathTo('/files', { folder: path || undefined });
  const parents = [
    { label: t('All files'), path: '' },
    ...names.map((label, at) => ({ label, path: names.slice(0, at + 1).join('/') })),
  ];
  return (
    <nav aria-label={t('Folders')} className={styles.folders}>
      <ol className={styles.trail}>
        {parents.map(({ label, path }) => (
          <li key={path}>
            <Link to={open(path)} aria-current={path === folder ? 'page' : undefined}>
              <bdi>{label}</bdi>
            </Link>
          </li>
        ))}
      </ol>
      {items.length > 0 && (
        <ul className={styles.children} aria-label={t('Subfolders')}>
          {items.map(({ path, name, file_count }) => (
            <li key={path}>
              <Link to={open(path)} className={styles.folder}>
                <Icon name="project" size={16} />
                <bdi>{name}</bdi>
                <small>{t('{count, plural, one {# file} other {# files}}', { count: file_count })}</small>
              </Link>
            </li>
          ))}
          {readMore && (
            <li>
              <Button small onClick={readMore}>
                {t('More folders')}
              </Button>
            </li>
          )}
        </ul>
      )}
    </nav>
  );
}
