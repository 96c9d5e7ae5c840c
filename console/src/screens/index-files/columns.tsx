import { Link } from 'wouter';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { ago, bytes, count } from '../../ui/format.ts';
import type { GridColumn } from '../../ui/grid.tsx';
import styles from './files.module.css';

export type IndexFile = Answer<'GET /api/v1/pipelines/{pipeline_id}/files2'>['files'][number];

export const getRowKey = (row: IndexFile) => row.file_id;
export const getRowName = (row: IndexFile) => row.name;

/** Error of a file, with the step and the sync run in which the error occurred. */
export interface Problem {
  message: string;
  step: string;
  job_id: string;
}

export const findProblem = ({ status_details }: IndexFile) => status_details?.error as Problem | undefined;
export const findChunkCount = ({ status_details }: IndexFile) =>
  status_details?.chunk_count as number | undefined;

/** Builds the columns of the file list. `getPath` returns the path of the inspector for a file. */
export const buildColumns = (getPath: (fileId: string) => string): GridColumn<IndexFile>[] => [
  {
    key: 'name',
    header: t('Name'),
    width: 'minmax(11rem, 2fr)',
    sort: 'name',
    cell: ({ file_id, name }) => (
      <Link to={getPath(file_id)} tabIndex={-1} title={name}>
        {name}
      </Link>
    ),
  },
  {
    key: 'status',
    header: t('State'),
    width: 'minmax(8.5rem, 1.4fr)',
    sort: 'status',
    cell: (row) => (
      <>
        <StatusBadge status={row.status} /> <span className={styles.why}>{findProblem(row)?.message}</span>
      </>
    ),
  },
  {
    key: 'type',
    header: t('Type'),
    width: '5rem',
    wide: true,
    cell: ({ file_type }) => file_type?.toUpperCase() ?? '–',
  },
  {
    key: 'size',
    header: t('Size'),
    width: '6rem',
    number: true,
    wide: true,
    sort: 'file_size',
    cell: ({ file_size }) => bytes(file_size),
  },
  {
    key: 'pages',
    header: t('Pages'),
    width: '5rem',
    number: true,
    wide: true,
    cell: ({ indexed_page_count }) => count(indexed_page_count),
  },
  {
    key: 'chunks',
    header: t('Chunks'),
    width: '5.5rem',
    number: true,
    wide: true,
    cell: (row) => count(findChunkCount(row)),
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
