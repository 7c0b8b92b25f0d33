// A button with the dialog that it opens: what stands in it begins anew each time.
import { useRef, useState, type ReactNode, type SyntheticEvent } from "react";
import { createPortal, flushSync } from "react-dom";

interface DialogButtonProps {
  word: ReactNode;
  /** The id of the heading inside. */
  titled: string;
  off: boolean;
  look?: string;
  /** Whether there is a button now; a dialog that is open stays, for what it does may be what takes the button away. */
  shown?: boolean;
  children: (close: () => void) => ReactNode;
}

export function DialogButton({ word, titled, off, look = "", shown = true, children }: DialogButtonProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  const show = () => {
    flushSync(() => setOpen(true)); // the first field is there when the dialog looks for what to focus
    dialog.current?.showModal();
  };
  return (
    <span className="dialog-button" onClick={staysHere} onSubmit={staysHere}>
      {shown && (
        <button type="button" className={`button ${look}`} disabled={off} onClick={show}>
          {word}
        </button>
      )}
      {createPortal(
        <dialog ref={dialog} aria-labelledby={titled} onClose={() => setOpen(false)}>
          {open && children(() => dialog.current?.close())}
        </dialog>,
        document.body, // the button may stand in a form, and no form stands in another
      )}
    </span>
  );
}

/** What is done in a dialog is not done to the row or form that its button stands in. */
function staysHere(event: SyntheticEvent): void {
  event.stopPropagation();
}
