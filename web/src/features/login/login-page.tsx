// Tells a browser without a session how to sign in.
import { useEffect, useState } from "react";

import { askWhetherSignedIn, useSessionProblem, watchOtherTabs } from "@/api/signed-in";
import { Icon } from "@/ui/icons";

const COMMAND = "mission open";
const OVER = "This link was already used or has expired.";
const AGAIN = {
  over: "Your session has ended. Sign in again.",
  half: "Sign in again. This browser has a session cookie but not the matching key; sessions from earlier versions do not have one.",
};
const OUT = "This browser is not signed in. Only the owner can see the missions.";

export function LoginPage() {
  const over = new URLSearchParams(location.search).get("code") === "over";
  const [signedIn, setSignedIn] = useState<boolean | undefined>();
  const [still, setStill] = useState(false);
  const missing = useSessionProblem();
  const asked = location.pathname === "/login";
  useEffect(() => void askWhetherSignedIn().then(setSignedIn), []);
  const refresh = async () => {
    if (await askWhetherSignedIn()) goBack();
    else setStill(true);
  };
  useEffect(() => {
    // `mission open` signs in with a new tab; when you return to this one, it continues where you left off
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
            <p>Run this in a shell. It opens the page and signs you in:</p>
            <pre>{COMMAND}</pre>
            <div className="actions">
              <CopyCommand />
              <button type="button" className="button" onClick={() => void refresh()}>
                I have signed in
              </button>
            </div>
            {!asked && <p>This tab then continues where you left off.</p>}
            {still && <p role="alert">Not signed in yet. In this browser, open the link that the command prints.</p>}
            <p className="meta">
              On a machine without a desktop, <code>mission open --print</code> prints a link that works once.
            </p>
          </>
        )}
      </div>
    </main>
  );
}

/** Show the page at the current address; from the sign-in page, go to the start page. */
function goBack(): void {
  if (location.pathname === "/login") location.assign("/");
  else location.reload();
}

function CopyCommand() {
  const [copied, setCopied] = useState(false);
  if (navigator.clipboard === undefined) return null; // the browser offers it only on secure addresses
  const copy = async () => {
    await navigator.clipboard.writeText(COMMAND);
    setCopied(true);
  };
  return (
    <button type="button" className="button primary" onClick={() => void copy()}>
      {copied ? "Copied" : "Copy command"}
    </button>
  );
}
