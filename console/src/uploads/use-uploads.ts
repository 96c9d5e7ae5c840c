import { useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { WriteRefusal } from '../ui/write-access.ts';
import { type Picked, readDropped } from './picked.ts';
import type { UploadQueue } from './queue.ts';

/** Returns the uploads and skipped files of a queue, and renders again when they change. */
export function useUploads(queue: UploadQueue) {
  const uploads = useSyncExternalStore(queue.subscribe, queue.uploads);
  const skippedFiles = useSyncExternalStore(queue.subscribe, queue.skippedFiles);
  return { queue, uploads, skippedFiles };
}

/**
 * Accepts files and folders dropped anywhere on the page. Returns true while something is dragged over it. Drops of
 * users who may only read are ignored.
 */
export function useDrop(onPicked: (picked: Picked) => void): boolean {
  const [isOver, setOver] = useState(false);
  const isRefused = useContext(WriteRefusal) !== undefined;
  useEffect(() => {
    const hasFiles = (event: DragEvent) => (event.dataTransfer?.types ?? []).some((type) => type === 'Files');
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(!isRefused);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      if (!isRefused) void readDropped(event.dataTransfer!).then(onPicked);
    };
    document.addEventListener('dragover', over);
    document.addEventListener('dragleave', leave);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('dragover', over);
      document.removeEventListener('dragleave', leave);
      document.removeEventListener('drop', drop);
    };
  });
  return isOver;
}
