// A button and the dialog it opens. The dialog starts fresh each time.
import { type ReactNode, type SyntheticEvent, useEffect, useRef, useState } from "react";
import { createPortal, flushSync } from "react-dom";

interface DialogButtonProps {
  word: ReactNode;
  /** The id of the heading inside the dialog. */
  titled: string;
  off: boolean;
  variant?: string;
  /** Whether the button is shown. An open dialog stays open, because its own action may hide the button. */
  shown?: boolean;
  /** Whether the dialog opens by itself when the page is shown. */
  opens?: boolean;
  children: (close: () => void) => ReactNode;
}

export function DialogButton({
  word,
  titled,
  off,
  variant = "",
  shown = true,
  opens = false,
  children,
}: DialogButtonProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(opens);
  useEffect(() => {
    if (opens && dialog.current?.open === false) {
      setOpen(true);
      dialog.current.showModal();
    }
  }, [opens]);
  const show = () => {
    flushSync(() => setOpen(true)); // the first field must exist when the dialog sets the focus
    dialog.current?.showModal();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: stops events, reacts to none
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <span className="dialog-button" onClick={stopHere} onSubmit={stopHere}>
      {shown && (
        <button type="button" className={`button ${variant}`} disabled={off} onClick={show}>
          {word}
        </button>
      )}
      {createPortal(
        <dialog ref={dialog} aria-labelledby={titled} onClose={() => setOpen(false)}>
          {open && children(() => dialog.current?.close())}
        </dialog>,
        document.body, // the button may be inside a form, and forms cannot be nested
      )}
    </span>
  );
}

/** Keep events in a dialog from reaching the row or form that contains its button. */
function stopHere(event: SyntheticEvent): void {
  event.stopPropagation();
}
