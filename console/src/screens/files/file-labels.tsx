import { useState } from 'react';
import { Link } from 'wouter';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { MoveFiles, TagFiles } from './change-dialog.tsx';
import styles from './files.module.css';

interface LabelsProps {
  fileId: string;
  /** Empty for the root. */
  folder: string;
  tags: readonly string[];
  /** Called after the folder or the tags were changed. */
  onChanged: () => void;
}

/** Folder and tags of one file, with dialogs that change them. */
export function FileLabels({ fileId, folder, tags, onChanged }: LabelsProps) {
  const pathTo = useProjectPath();
  const [dialog, setDialog] = useState<'move' | 'tag'>();
  const common = {
    count: 1,
    getFileIds: async () => [fileId],
    onClose: () => setDialog(undefined),
    onDone: onChanged,
  };
  return (
    <>
      <Facts
        facts={[
          [
            t('Folder'),
            <span key="folder" className={styles.labels}>
              <Link to={pathTo('/files', { folder: folder || undefined })}>
                <bdi>{folder || t('All files')}</bdi>
              </Link>
              <Button writes small look="quiet" icon="project" onClick={() => setDialog('move')}>
                {t('Move')}
              </Button>
            </span>,
          ],
          [
            t('Tags'),
            <span key="tags" className={styles.labels}>
              {tags.length === 0 && t('No tags')}
              {tags.map((tag) => (
                <Link key={tag} to={pathTo('/files', { tags: tag })}>
                  <Badge>
                    <bdi>{tag}</bdi>
                  </Badge>
                </Link>
              ))}
              <Button writes small look="quiet" icon="edit" onClick={() => setDialog('tag')}>
                {t('Edit tags')}
              </Button>
            </span>,
          ],
        ]}
      />
      {dialog === 'move' && <MoveFiles {...common} folder={folder} />}
      {dialog === 'tag' && <TagFiles {...common} known={tags} />}
    </>
  );
}
