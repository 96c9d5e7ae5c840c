import { useEffect, useState, useSyncExternalStore } from 'react';
import { type Picked, readDropped } from './picked.ts';
import type { UploadQueue } from './queue.ts';

/** The files of a queue, and what was left out of the folders that were added to it. */
export function useUploads(queue: UploadQueue) {
  const uploads = useSyncExternalStore(queue.subscribe, queue.uploads);
  const leftOut = useSyncExternalStore(queue.subscribe, queue.leftOut);
  return { queue, uploads, leftOut };
}

/** Takes files and folders that are dropped anywhere on the page. Returns `true` while some are held above it. */
export function useDrop(onPicked: (picked: Picked) => void): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      void readDropped(event.dataTransfer!).then(onPicked);
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
