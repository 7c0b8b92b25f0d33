// Shown when the browser has no session: how to get one.
import { useEffect, useState } from "react";

import { askWhetherSignedIn, useMissing, watchOtherTabs } from "@/api/signed-in";
import { Icon } from "@/ui/icons";

const COMMAND = "mission open";
const OVER = "That address was used already, or is older than two minutes.";
const AGAIN = {
  over: "This browser's session is over. Sign in again.",
  half: "Sign in again: this browser has the cookie of a session, but not the key that belongs to it. Sessions from before an update have none.",
};
const OUT = "This browser is not signed in. Missions are shown to their owner only.";

export function Login() {
  const over = new URLSearchParams(location.search).get("code") === "over";
  const [signedIn, setSignedIn] = useState<boolean | undefined>();
  const [still, setStill] = useState(false);
  const missing = useMissing();
  const asked = location.pathname === "/login";
  useEffect(() => void askWhetherSignedIn().then(setSignedIn), []);
  const look = async () => {
    if (await askWhetherSignedIn()) goBack();
    else setStill(true);
  };
  useEffect(() => {
    // `mission open` signs in with a tab of its own: whoever comes back to this one goes on where they were
    const returned = () => {
      if (!asked && document.visibilityState === "visible") void askWhetherSignedIn().then((yes) => yes && goBack());
    };
    const ignoreTabs = watchOtherTabs((yes) => yes && !asked && goBack());
    document.addEventListener("visibilitychange", returned);
    window.addEventListener("focus", returned);
    return () => {
      ignoreTabs();
      document.removeEventListener("visibilitychange", returned);
      window.removeEventListener("focus", returned);
    };
  }, [asked]);
  return (
    <main className="login">
      <title>Sign in · Mission Control</title>
      <div className="card">
        <h1>
          <Icon name="logo" size={20} /> Mission Control
        </h1>
        {signedIn ? (
          <>
            <p role={over ? "alert" : undefined}>{over && OVER} This browser is signed in.</p>
            <div className="actions">
              <a className="button primary" href="/">
                Go to Mission Control
              </a>
            </div>
          </>
        ) : (
          <>
            <p role={over ? "alert" : undefined}>{over ? OVER : missing === null ? OUT : AGAIN[missing]}</p>
            <p>Run this in a shell. It opens the page, signed in:</p>
            <pre>{COMMAND}</pre>
            <div className="actions">
              <CopyCommand />
              <button type="button" className="button" onClick={() => void look()}>
                I have signed in
              </button>
            </div>
            {!asked && <p>Then this tab goes on where it was.</p>}
            {still && <p role="alert">Not yet: open the address that the command prints in this browser.</p>}
            <p className="meta">
              Without a screen, <code>mission open --print</code> prints an address that works once.
            </p>
          </>
        )}
      </div>
    </main>
  );
}

/** To what the address shows; from the address of this page itself, to the start. */
function goBack(): void {
  if (location.pathname === "/login") location.assign("/");
  else location.reload();
}

function CopyCommand() {
  const [copied, setCopied] = useState(false);
  if (navigator.clipboard === undefined) return null; // only where the browser calls the address secure
  const copy = async () => {
    await navigator.clipboard.writeText(COMMAND);
    setCopied(true);
  };
  return (
    <button type="button" className="button primary" onClick={() => void copy()}>
      {copied ? "Copied" : "Copy the command"}
    </button>
  );
}
