# SPDX-License-Identifier: GPL-2.0-or-later
"""Control Chromium without a window, by HTTP through chromedriver (W3C WebDriver).

    with Browser(directory) as browser:
        browser.open(path)
        browser.run("return document.title")
        browser.click(browser.run("return document.querySelector('rect')"))
        browser.press("/", "Enter")
        browser.complaints()        the errors and warnings that the page wrote to the console
"""
import base64
import json
import subprocess
import urllib.error
import urllib.request

KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Left": "\ue012", "Up": "\ue013",
        "Right": "\ue014", "Down": "\ue015", "Control": "\ue009"}
TIMEOUT_S = 20


class Browser:
    def __init__(self, directory, dark=False):
        self.profile = directory / ("profile-dark" if dark else "profile")
        self.dark = dark

    def __enter__(self):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, text=True)
        try:
            self.address = f"http://127.0.0.1:{self.port()}/session"
            self.address += "/" + self.call("POST", "", {"capabilities": {
                "alwaysMatch": self.wanted()}})["sessionId"]
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.stop()

    def stop(self):
        self.driver.kill()
        self.driver.communicate()

    def port(self):
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                return int(line.rstrip(".\n").rsplit(" ", 1)[1])
        raise RuntimeError("chromedriver did not start")

    def wanted(self):
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--window-size=1400,900", f"--user-data-dir={self.profile}",
                     "--host-resolver-rules=MAP * ~NOTFOUND"]
        if self.dark:
            arguments.append("--blink-settings=preferredColorScheme=0")
        return {"browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
                "goog:chromeOptions": {"args": arguments}}

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            said = json.load(error)["value"]
            raise RuntimeError(f"{method} {path}: {said['message'].splitlines()[0]}") from error

    def open(self, path, fragment=""):
        self.call("POST", "/url", {"url": path.resolve().as_uri() + fragment})

    def leave(self):
        self.call("POST", "/url", {"url": "about:blank"})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def click(self, element):
        """Click the middle of an element that run() returned, as a user would with the mouse."""
        self.run("arguments[0].scrollIntoView({block: 'nearest'})", element)
        self.act("pointer", [
            {"type": "pointerMove", "origin": element, "x": 0, "y": 0},
            {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}])

    def press(self, *keys):
        """Press the keys one after the other. "Control+f" holds Control while f is pressed."""
        actions = []
        for key in keys:
            held = [KEYS.get(part, part) for part in key.split("+")] if len(key) > 1 else [key]
            actions += [{"type": "keyDown", "value": part} for part in held]
            actions += [{"type": "keyUp", "value": part} for part in reversed(held)]
        self.act("key", actions)

    def act(self, kind, actions):
        self.call("POST", "/actions", {"actions": [
            {"type": kind, "id": kind, "actions": actions}]})

    def complaints(self):
        entries = self.call("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))
