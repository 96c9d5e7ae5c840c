import { Link } from 'wouter';
import { t } from '../../i18n/messages.ts';
import { ago, bytes } from '../../ui/format.ts';
import type { GridColumn } from '../../ui/grid.tsx';
import type { ProjectFile } from './use-file-rows.ts';

export const getRowKey = (row: ProjectFile) => row.id;
export const getRowName = (row: ProjectFile) => row.name;

/**
 * Builds the columns of the file list. `getPath` returns the console path of a file's page. `hasFolders` is true if
 * the list contains files of several folders.
 */
export const buildColumns = (
  getPath: (fileId: string) => string,
  hasFolders: boolean,
): GridColumn<ProjectFile>[] => [
  {
    key: 'name',
    header: t('Name'),
    width: 'minmax(11rem, 2fr)',
    sort: 'name',
    cell: ({ id, name }) => (
      <Link to={getPath(id)} tabIndex={-1} title={name}>
        {name}
      </Link>
    ),
  },
  ...(hasFolders
    ? [
        {
          key: 'folder',
          header: t('Folder'),
          width: 'minmax(6rem, 1fr)',
          wide: true,
          cell: ({ folder }: ProjectFile) => <bdi title={folder}>{folder || '–'}</bdi>,
        },
      ]
    : []),
  {
    key: 'tags',
    header: t('Tags'),
    width: 'minmax(6rem, 1fr)',
    wide: true,
    cell: ({ tags = [] }) => {
      const text = tags.join(', ');
      return <bdi title={text}>{text || '–'}</bdi>;
    },
  },
  {
    key: 'type',
    header: t('Type'),
    width: '6rem',
    wide: true,
    cell: ({ file_type }) => file_type?.toUpperCase() ?? '–',
  },
  {
    key: 'size',
    header: t('Size'),
    width: '6rem',
    number: true,
    sort: 'file_size',
    cell: ({ file_size }) => bytes(file_size),
  },
  {
    key: 'origin',
    header: t('Origin'),
    width: '8rem',
    wide: true,
    cell: ({ data_source_id }) => (data_source_id ? t('Data source') : t('Upload')),
  },
  {
    key: 'added',
    header: t('Added'),
    width: '8rem',
    wide: true,
    sort: 'created_at',
    cell: ({ created_at }) => ago(created_at),
  },
];
