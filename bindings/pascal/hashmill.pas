{ Message digests and checksums: more than 200 algorithms by name, streaming and one-shot, many messages and files at
  once.

    Writeln(THashAlgorithm.Named('sha256').Hex('abc'));

  The library (libhashmill) is loaded when it is first needed, or by LoadHashMill from a given file; with HASHMILL_LINK
  defined it is linked. All errors raise an EHashMill, whose Kind has the same numbers in every language. Compiles with
  Free Pascal 3.2 (modes Delphi and ObjFPC) and is written for Delphi XE3 or newer.

  An algorithm may be used by any number of threads, a hasher by one at a time. }
unit HashMill;

{$IFDEF FPC}{$IFNDEF FPC_OBJFPC}{$MODE DELPHI}{$ENDIF}{$MODESWITCH ADVANCEDRECORDS}{$ENDIF}{$H+}

interface

uses
  SysUtils, Classes, HashMillC;

type
  { The kinds of errors. The numbers never change; those from 64 up only occur outside Rust. }
  THashErrorKind = (hekNone = 0, hekUnknownAlgorithm = 1, hekImpossibleName = 2, hekAmbiguousName = 3, hekBadParameter = 4, hekBadKey = 5, hekUnknownKernel = 6,
    hekKernelUnavailable = 7, hekWrongLength = 8, hekWrongTotal = 9, hekBadOffsets = 10, hekWrongPart = 11, hekNotExtendable = 12, hekNotResumable = 13,
    hekBadState = 14, hekSecretState = 15, hekBadBits = 16, hekBadArgument = 64, hekIo = 65, hekCancelled = 66, hekNoMemory = 67, hekInternal = 68,
    hekNoLibrary = 69);

  EHashMill = class(Exception)
  private
    FKind: THashErrorKind;
  public
    constructor CreateKind(AKind: THashErrorKind; const AMessage: string);
    property Kind: THashErrorKind read FKind;
  end;

  { How far an algorithm can be trusted, as in hm_security. }
  THashSecurity = (hsUnknown, hsSound, hsWeak, hsBroken, hsNotCryptographic);

  TBytesArray = array of TBytes;
  THashNames = array of string;

  { What goes into a hash besides the message; empty fields are not used. Start from THashOptions.None, then set what
    you need. }
  THashOptions = record
    Key: TBytes;           { BLAKE2, BLAKE3, SipHash; XXH3's secret }
    EmptyKey: Boolean;     { an empty key, which is not the same as none }
    Salt: TBytes;          { BLAKE2b: up to 16 bytes, BLAKE2s: up to 8 }
    Personal: TBytes;      { BLAKE2b: up to 16 bytes, BLAKE2s: up to 8 }
    Context: UTF8String;   { BLAKE3: derives keys, the message is the key material }
    ResumeFrom: TBytes;    { CRCs, Adler-32: the digest of what comes before }
    Kernel: AnsiString;    { for tests and benchmarks; empty for what the CPU prefers }
    class function None: THashOptions; static;
  end;

  { One implementation of an algorithm. }
  THashKernel = record
    Name: string;
    Lanes: NativeUInt;          { messages side by side }
    FromMessages: NativeUInt;   { DigestMany uses it from so many messages on; 0 if it does not }
    Available: Boolean;         { this CPU can run it }
    Active: Boolean;            { one message runs on it here }
  end;

  { An algorithm with its digest length, rounds and seed: a plain value. }
  THashAlgorithm = record
  private
    FValue: hm_algorithm;
  public
    { By any name or alias, with parameters: 'sha256', 'CRC-32/ISCSI', 'shake128:64', 'xxh64:seed=7'.
      hekUnknownAlgorithm (names the nearest ones), hekImpossibleName, hekAmbiguousName, hekBadParameter. }
    class function Named(const AName: string): THashAlgorithm; static;
    { The number of algorithms, and the one with number Index, starting at 0. }
    class function Count: NativeUInt; static;
    class function At(Index: NativeUInt): THashAlgorithm; static;

    { The same function with another digest length (in bytes) or seed. hekBadParameter. }
    function WithDigestLen(Bytes: NativeUInt): THashAlgorithm;
    function WithSeed(Seed: UInt64): THashAlgorithm;
    function SameAs(const Other: THashAlgorithm): Boolean;

    function Name: string;              { the canonical name }
    function Aliases: THashNames;
    function Family: string;
    function Specification: string;
    function Security: THashSecurity;
    function SecurityReason: string;
    function Year: Cardinal;
    function DigestLen: NativeUInt;     { bytes }
    function MinDigestLen: NativeUInt;
    function MaxDigestLen: NativeUInt;
    function BlockLen: NativeUInt;      { bytes }
    function MaxKeyLen: NativeUInt;     { bytes; 0 if it takes no key }
    function MaxSaltLen: NativeUInt;
    function MaxPersonalLen: NativeUInt;
    function SeedBits: Cardinal;        { 0 if it takes no seed }
    function CollisionBits: Cardinal;   { work for a collision: 2 to the power of this }
    function TakesContext: Boolean;
    function TellsFilesApart: Boolean;
    function IsExtendable: Boolean;
    function IsDivisible: Boolean;      { it can be hashed in parts: THashParts }
    function TakesBits: Boolean;
    function KernelCount: NativeUInt;
    { The implementation with number Index, in order of preference. }
    function Kernel(Index: NativeUInt): THashKernel;

    { The digest of Len bytes at Data, which may be nil only if Len is 0. DigestTo writes exactly DigestLen bytes and
      allocates nothing. hekWrongLength. }
    procedure DigestTo(Data: Pointer; Len: NativeUInt; Digest: Pointer; DigestBytes: NativeUInt);
    function Digest(Data: Pointer; Len: NativeUInt): TBytes; overload;
    function Digest(const Data: TBytes): TBytes; overload;
    { The digest of a string's bytes as they are; of Delphi's UnicodeString, as UTF-8. }
    function Digest(const Text: string): TBytes; overload;
    function Hex(Data: Pointer; Len: NativeUInt): string; overload;
    function Hex(const Data: TBytes): string; overload;
    function Hex(const Text: string): string; overload;

    { The digests of many messages in their order, computed side by side in SIMD lanes, on Threads threads (0 means as
      many as there are cores). }
    function DigestMany(const Messages: TBytesArray; Threads: NativeUInt = 1): TBytesArray;
    { Many messages in one buffer: message I is the bytes from Offsets[I] up to Offsets[I + 1], so N messages have N + 1
      offsets. Their digests go to Out_ one after the other, as bytes or, with AsHex, as lower-case digits; Out_ must
      have exactly as many bytes as they take. Threads as for DigestMany. hekBadOffsets, hekWrongTotal. }
    procedure DigestColumn(const Offsets: array of UInt64; Data: Pointer; Len: NativeUInt; Out_: Pointer; OutBytes: NativeUInt; AsHex: Boolean = False; Threads: NativeUInt = 1);
    { A file's digest. hekIo, with a message that names the file and the reason. }
    function DigestFile(const FileName: string): TBytes;

    { CRCs, Adler-32, Fletcher-16: the digest of X followed by Y, from their digests and Y's length in bytes.
      hekNotResumable. }
    function Combine(const DigestX, DigestY: TBytes; LenY: UInt64): TBytes;
  end;

  THashAlgorithms = array of THashAlgorithm;

  { Computes a digest piece by piece. Close and Free wipe its state and any key. Calling a method after Close, or on
    nil, raises hekBadArgument; Close itself, like Free, may be called again. }
  THasher = class
  private
    FHandle: Phm_hasher;
    FDigestLen: NativeUInt;
    function Handle: Phm_hasher;
  public
    constructor Create(const Algorithm: THashAlgorithm); overload;
    constructor Create(const Algorithm: THashAlgorithm; const Options: THashOptions); overload;
    constructor Create(const AlgorithmName: string); overload;
    { Resumes from a state that ExportState returned, on any machine and kernel. hekBadState. }
    constructor CreateFromState(const State: TBytes);
    destructor Destroy; override;
    procedure Update(Data: Pointer; Len: NativeUInt); overload;
    procedure Update(const Data: TBytes); overload;
    procedure Update(const Text: string); overload;
    { The first Bits bits. hekBadBits. }
    procedure UpdateBits(Data: Pointer; Bits: UInt64);
    { Reads a stream from its position: Count bytes or, if Count is negative, up to its end. Returns the number of
      bytes. }
    function UpdateStream(Stream: TStream; Count: Int64 = -1): UInt64;
    { The digest so far; may be called again, and more may follow. }
    function Final: TBytes;
    function FinalHex: string;
    procedure FinalTo(Digest: Pointer; DigestBytes: NativeUInt);
    procedure Reset;
    { Another hasher with the same state. The caller frees it. }
    function Clone: THasher;
    function Algorithm: THashAlgorithm;
    { hekSecretState for a keyed hasher. }
    function ExportState: TBytes;
    procedure Close;
  end;

  { Output of any length from SHAKE, BLAKE3 and the like, for what a hasher has been given. hekNotExtendable. }
  THashOutput = class
  private
    FHandle: Phm_xof;
  public
    constructor Create(Hasher: THasher);
    destructor Destroy; override;
    procedure Read(Data: Pointer; Len: NativeUInt); overload;
    function Read(Len: NativeUInt): TBytes; overload;
    procedure Close;
  end;

  { HMAC (RFC 2104) over a cryptographic digest. hekBadKey for others. }
  THashMac = class
  private
    FHandle: Phm_hmac;
    FDigestLen: NativeUInt;
    function Handle: Phm_hmac;
  public
    constructor Create(const Algorithm: THashAlgorithm; const Key: TBytes);
    destructor Destroy; override;
    procedure Update(Data: Pointer; Len: NativeUInt); overload;
    procedure Update(const Data: TBytes); overload;
    procedure Update(const Text: string); overload;
    function Final: TBytes;
    function FinalHex: string;
    { In constant time; a prefix is not accepted. }
    function Verify(const Code: TBytes): Boolean;
    procedure Reset;
    { Another HMAC with the same state. The caller frees it. }
    function Clone: THashMac;
    procedure Close;
  end;

  { Combines parts of a message that were hashed separately: BLAKE3, XXH3, CRCs, Adler-32. All parts but the last have
    PartLen bytes. }
  THashParts = class
  private
    FHandle: Phm_parts;
    FAlgorithm: THashAlgorithm;
    FPartLen, FAt: UInt64;
    function Handle: Phm_parts;
  public
    constructor Create(const Algorithm: THashAlgorithm; PartLen: NativeUInt);
    destructor Destroy; override;
    { The next part, of PartLen bytes. hekWrongPart. }
    procedure Push(Data: Pointer);
    { The digest, with what comes after the last whole part. }
    function Final(Last: Pointer; LastLen: NativeUInt): TBytes;
    procedure Close;
  end;

  { The result for a file: its digests in the order of the algorithms, or why there are none. }
  THashFile = record
    Path: string;
    Error: string;          { 'no such file or directory'; empty if there are digests }
    Digests: TBytesArray;
  end;
  THashFiles = array of THashFile;

  THashFilesProgress = record
    Bytes, BytesTotal: UInt64;   { read, and in all files that have been looked at; the total grows until Complete }
    Files, FilesTotal: UInt64;
    Complete: Boolean;
  end;

  { Called about ten times a second with the progress; setting GoOn to False ends the call with hekCancelled. }
  THashProgressEvent = procedure(const Progress: THashFilesProgress; var GoOn: Boolean) of object;

{ Hashes files, each read once for all algorithms, many at a time in SIMD lanes and on Threads threads (0 means as many
  as there are cores). A file that cannot be read does not raise an exception: its Error says why. }
function HashFiles(const Algorithms: THashAlgorithms; const Paths: THashNames; Threads: NativeUInt = 0; OnProgress: THashProgressEvent = nil): THashFiles;

{ CRC-32 (as in ZIP, reflected 0x04C11DB7) of Len bytes, continuing from the CRC of the data before them: CalcCRC32(P2,
  N2, CalcCRC32(P1, N1)) is the CRC of both. }
function CalcCRC32(Data: Pointer; Len: NativeUInt; Initial: Cardinal = 0): Cardinal;
{ The same with CRC-32C (reflected 0x1EDC6F41). }
function CalcCRC32C(Data: Pointer; Len: NativeUInt; Initial: Cardinal = 0): Cardinal;

{ Converts to lower-case hexadecimal digits, and back: hekBadArgument if there are other characters, hekWrongLength for
  an odd number of digits. }
function HashToHex(const Digest: TBytes): string;
function HexToHash(const Hex: string): TBytes;
{ Takes time that depends only on the lengths; a prefix is not equal. }
function SameHash(const X, Y: TBytes): Boolean;

{ Loads the library from a file, instead of where the system looks for it. Call this before anything else
  (hekBadArgument if the library is already loaded). hekNoLibrary if it is missing, or of a version that this unit was
  not made for. }
procedure LoadHashMill(const FileName: string = '');
{ The version of the loaded library: '0.1.0'. }
function HashMillVersion: string;

implementation

{$IFNDEF HASHMILL_LINK}
{$IFDEF FPC}
uses
  DynLibs;
{$ELSE}
{$IFDEF MSWINDOWS}
uses
  Winapi.Windows;
{$ENDIF}
{$ENDIF}
{$ENDIF}

const
  READ_BYTES = 256 * 1024;

var
  Crc32Algorithm, Crc32cAlgorithm: hm_algorithm;
  { 1 once the functions are set. Written last, by an operation that is a memory barrier, so that a thread that sees it
    also sees the functions. }
  Loaded: Integer = 0;

constructor EHashMill.CreateKind(AKind: THashErrorKind; const AMessage: string);
begin
  inherited Create(AMessage);
  FKind := AKind;
end;

function FromUtf8(P: PAnsiChar): string;
begin
  {$IFDEF UNICODE}
  Result := UTF8ToString(P);
  {$ELSE}
  Result := P;
  {$ENDIF}
end;

{ A file name on Unix is bytes, which need not be UTF-8; Free Pascal's strings hold them as they are. }
function ToBytes(const S: string): RawByteString;
begin
  {$IFDEF UNICODE}
  Result := UTF8Encode(S);
  {$ELSE}
  Result := S;
  {$ENDIF}
end;

procedure Fail(Kind: THashErrorKind; const Message: string);
begin
  raise EHashMill.CreateKind(Kind, Message);
end;

procedure FailWith(Error: hm_error);
begin
  Fail(THashErrorKind(Error), FromUtf8(hm_error_message()));
end;

procedure Check(Error: hm_error); inline;
begin
  if Error <> HM_OK then
    FailWith(Error);
end;

{ MAJOR.MINOR of a version: until 1.0, the name of the library changes with the minor number. }
function Series(const Version: string): string;
begin
  Result := Copy(Version, 1, Pos('.', Version));
  Result := Result + Copy(Version, Length(Result) + 1, Pos('.', Copy(Version, Length(Result) + 1, MaxInt)) - 1);
end;

{$IFDEF HASHMILL_LINK}
{$IFDEF FPC}{$LINKLIB hashmill}{$ENDIF}

procedure Open(const FileName: string);
var
  Found: string;
begin
  if FileName <> '' then
    Fail(hekNoLibrary, 'this program is linked with libhashmill: ' + FileName + ' cannot be loaded besides');
  Found := FromUtf8(hm_version());
  if Series(Found) <> Series(HM_MADE_FOR) then
    Fail(hekNoLibrary, Format('libhashmill is of another version: this program needs libhashmill %s and found %s', [HM_MADE_FOR, Found]));
end;
{$ELSE}
const
  {$IFDEF MSWINDOWS}
  LIBRARY_NAME = 'hashmill.dll';
  {$ELSE}
  {$IFDEF DARWIN}
  LIBRARY_NAME = 'libhashmill.dylib';
  {$ELSE}
  { The name for the loader, which contains MAJOR.MINOR. }
  LIBRARY_NAME = 'libhashmill.so.';
  {$ENDIF}
  {$ENDIF}

type
  TFinder = class
    FLibrary: {$IFDEF FPC}TLibHandle{$ELSE}HMODULE{$ENDIF};
    function Find(Name: PAnsiChar): Pointer;
  end;

function TFinder.Find(Name: PAnsiChar): Pointer;
begin
  Result := {$IFDEF FPC}GetProcedureAddress(FLibrary, AnsiString(Name)){$ELSE}GetProcAddress(FLibrary, Name){$ENDIF};
end;

{ Sets all functions of HashMillC. }
procedure Import(Finder: TFinder; const Name: string);
var
  Missing: PAnsiChar;
  Found: string;
  Version: function: PAnsiChar; cdecl;
begin
  Found := '';
  {$IFDEF FPC_OBJFPC}Pointer(Version){$ELSE}@Version{$ENDIF} := Finder.Find('hm_version');
  if Assigned(Version) then
    Found := FromUtf8(Version());
  if Series(Found) <> Series(HM_MADE_FOR) then
  begin
    if Found = '' then
      Found := 'something else, which has no version';
    Fail(hekNoLibrary, Format('%s is of another version: this program needs libhashmill %s and found %s', [Name, HM_MADE_FOR, Found]));
  end;
  if not hm_import_all({$IFDEF FPC_OBJFPC}@{$ENDIF}Finder.Find, Missing) then
    Fail(hekNoLibrary, Format('%s is older than this program, which needs libhashmill %s and found %s: it has no %s', [Name, HM_MADE_FOR, Found, FromUtf8(Missing)]));
end;

{ Stands in for hm_digest until the library is loaded, so that DigestTo need not check: that would cost a nanosecond per
  call. }
function DigestFirst(a: Phm_algorithm; message: Pointer; len: NativeUInt; out_: Pointer; out_len: NativeUInt): hm_error; cdecl;
begin
  LoadHashMill;
  Result := hm_digest(a, message, len, out_, out_len);
end;

procedure Open(const FileName: string);
var
  Finder: TFinder;
  Name: string;
begin
  Name := FileName;
  if Name = '' then
  begin
    Name := LIBRARY_NAME;
    if Name[Length(Name)] = '.' then
      Name := Name + Series(HM_MADE_FOR);
  end;
  Finder := TFinder.Create;
  try
    Finder.FLibrary := LoadLibrary({$IFDEF FPC}Name{$ELSE}PChar(Name){$ENDIF});
    if Finder.FLibrary = 0 then
      Fail(hekNoLibrary, Format('%s cannot be loaded: this program needs libhashmill %s and found none (%s); LoadHashMill says where it is',
        [Name, HM_MADE_FOR, {$IFDEF FPC}GetLoadErrorStr{$ELSE}SysErrorMessage(GetLastError){$ENDIF}]));
    try
      Import(Finder, Name);
    except
      { A program may continue without it, or try another file. }
      hm_digest := {$IFDEF FPC_OBJFPC}@{$ENDIF}DigestFirst;
      {$IFDEF FPC}UnloadLibrary{$ELSE}FreeLibrary{$ENDIF}(Finder.FLibrary);
      raise;
    end;
  finally
    Finder.Free;
  end;
end;
{$ENDIF}

procedure LoadHashMill(const FileName: string);
begin
  if Loaded <> 0 then
  begin
    if FileName <> '' then
      Fail(hekBadArgument, FileName + ' comes too late: libhashmill is loaded already');
    Exit;
  end;
  Open(FileName);
  Check(hm_algorithm_parse('crc32', @Crc32Algorithm));
  Check(hm_algorithm_parse('crc32c', @Crc32cAlgorithm));
  {$IFDEF FPC}InterlockedExchange{$ELSE}AtomicExchange{$ENDIF}(Loaded, 1);
end;

procedure Need; inline;
begin
  if Loaded = 0 then
    LoadHashMill;
end;

function HashMillVersion: string;
begin
  Need;
  Result := FromUtf8(hm_version());
end;

{ THashOptions }

class function THashOptions.None: THashOptions;
begin
  Result := Default(THashOptions);
end;

procedure ToInputs(const O: THashOptions; out Inputs: hm_inputs);

  procedure Put(const Data: TBytes; out P: Pointer; out Len: NativeUInt);
  begin
    P := Pointer(Data);
    Len := Length(Data);
  end;

const
  Nothing: Byte = 0;
begin
  Inputs := Default(hm_inputs);
  Inputs.size := SizeOf(Inputs);
  Put(O.Key, Inputs.key, Inputs.key_len);
  if O.EmptyKey and (Inputs.key = nil) then
    Inputs.key := @Nothing;
  Put(O.Salt, Inputs.salt, Inputs.salt_len);
  Put(O.Personal, Inputs.personal, Inputs.personal_len);
  Put(O.ResumeFrom, Inputs.resume_from, Inputs.resume_from_len);
  Inputs.context := Pointer(O.Context);
  Inputs.context_len := Length(O.Context);
  if O.Kernel <> '' then
    Inputs.kernel := PAnsiChar(O.Kernel);
end;

{ THashAlgorithm }

class function THashAlgorithm.Named(const AName: string): THashAlgorithm;
begin
  Need;
  if Pos(#0, AName) > 0 then
    Fail(hekUnknownAlgorithm, 'an algorithm''s name has no zero byte');
  Check(hm_algorithm_parse(PAnsiChar(ToBytes(AName)), @Result.FValue));
end;

class function THashAlgorithm.Count: NativeUInt;
begin
  Need;
  Result := hm_algorithm_count();
end;

class function THashAlgorithm.At(Index: NativeUInt): THashAlgorithm;
begin
  Need;
  Check(hm_algorithm_at(Index, @Result.FValue));
end;

function THashAlgorithm.WithDigestLen(Bytes: NativeUInt): THashAlgorithm;
begin
  Need;
  Check(hm_algorithm_with_digest_len(@FValue, Bytes, @Result.FValue));
end;

function THashAlgorithm.WithSeed(Seed: UInt64): THashAlgorithm;
begin
  Need;
  Check(hm_algorithm_with_seed(@FValue, Seed, @Result.FValue));
end;

function THashAlgorithm.SameAs(const Other: THashAlgorithm): Boolean;
begin
  Need;
  Result := hm_algorithm_equal(@FValue, @Other.FValue);
end;

type
  TTextOf = function(a: Phm_algorithm; out_: PAnsiChar; size: NativeUInt): NativeUInt; cdecl;

function TextOf(Get: TTextOf; A: Phm_algorithm): string;
var
  Text: AnsiString;
begin
  Text := StringOfChar(AnsiChar(#0), Get(A, nil, 0));
  Get(A, PAnsiChar(Text), Length(Text) + 1);
  Result := FromUtf8(PAnsiChar(Text));
end;

function THashAlgorithm.Name: string;
begin
  Need;
  Result := TextOf({$IFDEF HASHMILL_LINK}@{$ENDIF}hm_algorithm_name, @FValue);
end;

function THashAlgorithm.Aliases: THashNames;
var
  Text: AnsiString;
  Len: NativeUInt;
begin
  Need;
  Result := nil;
  repeat
    Len := hm_algorithm_alias(@FValue, Length(Result), nil, 0);
    if Len = 0 then
      Exit;
    Text := StringOfChar(AnsiChar(#0), Len);
    hm_algorithm_alias(@FValue, Length(Result), PAnsiChar(Text), Len + 1);
    SetLength(Result, Length(Result) + 1);
    Result[High(Result)] := FromUtf8(PAnsiChar(Text));
  until False;
end;

function THashAlgorithm.Family: string;
begin
  Need;
  Result := TextOf({$IFDEF HASHMILL_LINK}@{$ENDIF}hm_algorithm_family, @FValue);
end;

function THashAlgorithm.Specification: string;
begin
  Need;
  Result := TextOf({$IFDEF HASHMILL_LINK}@{$ENDIF}hm_algorithm_specification, @FValue);
end;

function THashAlgorithm.SecurityReason: string;
begin
  Need;
  Result := TextOf({$IFDEF HASHMILL_LINK}@{$ENDIF}hm_algorithm_security_reason, @FValue);
end;

function THashAlgorithm.Security: THashSecurity;
begin
  Need;
  Result := THashSecurity(hm_algorithm_security(@FValue));
end;

function THashAlgorithm.Year: Cardinal;
begin
  Need;
  Result := hm_algorithm_year(@FValue);
end;

function THashAlgorithm.DigestLen: NativeUInt;
begin
  Need;
  Result := hm_algorithm_digest_len(@FValue);
end;

function THashAlgorithm.MinDigestLen: NativeUInt;
begin
  Need;
  Result := hm_algorithm_min_digest_len(@FValue);
end;

function THashAlgorithm.MaxDigestLen: NativeUInt;
begin
  Need;
  Result := hm_algorithm_max_digest_len(@FValue);
end;

function THashAlgorithm.BlockLen: NativeUInt;
begin
  Need;
  Result := hm_algorithm_block_len(@FValue);
end;

function THashAlgorithm.MaxKeyLen: NativeUInt;
begin
  Need;
  Result := hm_algorithm_max_key_len(@FValue);
end;

function THashAlgorithm.MaxSaltLen: NativeUInt;
begin
  Need;
  Result := hm_algorithm_max_salt_len(@FValue);
end;

function THashAlgorithm.MaxPersonalLen: NativeUInt;
begin
  Need;
  Result := hm_algorithm_max_personal_len(@FValue);
end;

function THashAlgorithm.SeedBits: Cardinal;
begin
  Need;
  Result := hm_algorithm_seed_bits(@FValue);
end;

function THashAlgorithm.CollisionBits: Cardinal;
begin
  Need;
  Result := hm_algorithm_collision_bits(@FValue);
end;

function THashAlgorithm.TakesContext: Boolean;
begin
  Need;
  Result := hm_algorithm_takes_context(@FValue);
end;

function THashAlgorithm.TellsFilesApart: Boolean;
begin
  Need;
  Result := hm_algorithm_tells_files_apart(@FValue);
end;

function THashAlgorithm.IsExtendable: Boolean;
begin
  Need;
  Result := hm_algorithm_is_extendable(@FValue);
end;

function THashAlgorithm.IsDivisible: Boolean;
begin
  Need;
  Result := hm_algorithm_is_divisible(@FValue);
end;

function THashAlgorithm.TakesBits: Boolean;
begin
  Need;
  Result := hm_algorithm_takes_bits(@FValue);
end;

function THashAlgorithm.KernelCount: NativeUInt;
begin
  Need;
  Result := hm_kernel_count(@FValue);
end;

function THashAlgorithm.Kernel(Index: NativeUInt): THashKernel;
var
  Found: hm_kernel;
begin
  Need;
  Check(hm_kernel_at(@FValue, Index, @Found));
  Result.Name := FromUtf8(@Found.name[0]);
  Result.Lanes := Found.lanes;
  Result.FromMessages := Found.from_messages;
  Result.Available := Found.available;
  Result.Active := Found.active;
end;

procedure THashAlgorithm.DigestTo(Data: Pointer; Len: NativeUInt; Digest: Pointer; DigestBytes: NativeUInt);
begin
  Check(hm_digest(@FValue, Data, Len, Digest, DigestBytes));
end;

function THashAlgorithm.Digest(Data: Pointer; Len: NativeUInt): TBytes;
begin
  Result := nil;
  SetLength(Result, DigestLen);
  Check(hm_digest(@FValue, Data, Len, Pointer(Result), Length(Result)));
end;

function THashAlgorithm.Digest(const Data: TBytes): TBytes;
begin
  Result := Digest(Pointer(Data), Length(Data));
end;

function THashAlgorithm.Digest(const Text: string): TBytes;
var
  Data: RawByteString;
begin
  Data := ToBytes(Text);
  Result := Digest(Pointer(Data), Length(Data));
end;

function THashAlgorithm.Hex(Data: Pointer; Len: NativeUInt): string;
begin
  Result := HashToHex(Digest(Data, Len));
end;

function THashAlgorithm.Hex(const Data: TBytes): string;
begin
  Result := HashToHex(Digest(Data));
end;

function THashAlgorithm.Hex(const Text: string): string;
begin
  Result := HashToHex(Digest(Text));
end;

function THashAlgorithm.DigestMany(const Messages: TBytesArray; Threads: NativeUInt): TBytesArray;
var
  Views: array of hm_bytes;
  All: TBytes;
  I: NativeInt;
  Len: NativeUInt;
begin
  Need;
  Result := nil;
  if Messages = nil then
    Exit;
  Views := nil;
  All := nil;
  SetLength(Views, Length(Messages));
  for I := 0 to High(Views) do
  begin
    Views[I].data := Pointer(Messages[I]);
    Views[I].len := Length(Messages[I]);
  end;
  Len := DigestLen;
  if Len > NativeUInt(High(NativeInt)) div NativeUInt(Length(Messages)) then
    Fail(hekNoMemory, 'the digests of this many messages do not fit into memory');
  SetLength(All, NativeInt(Len) * Length(Messages));
  Check(hm_digest_many_threads(@FValue, Threads, Pointer(Views), Length(Views), HM_RAW, Pointer(All), Length(All)));
  SetLength(Result, Length(Messages));
  for I := 0 to High(Result) do
    Result[I] := Copy(All, NativeInt(Len) * I, Len);
end;

procedure THashAlgorithm.DigestColumn(const Offsets: array of UInt64; Data: Pointer; Len: NativeUInt; Out_: Pointer; OutBytes: NativeUInt; AsHex: Boolean; Threads: NativeUInt);
begin
  Need;
  if Length(Offsets) = 0 then
    Fail(hekBadOffsets, 'no offsets given: N messages have N + 1');
  Check(hm_digest_column_threads(@FValue, Threads, @Offsets[0], HM_UINT64, Length(Offsets) - 1, Data, Len, Ord(AsHex), Out_, OutBytes));
end;

function THashAlgorithm.DigestFile(const FileName: string): TBytes;
var
  Algorithms: THashAlgorithms;
  Paths: THashNames;
  Files: THashFiles;
begin
  Algorithms := nil;
  Paths := nil;
  SetLength(Algorithms, 1);
  SetLength(Paths, 1);
  Algorithms[0] := Self;
  Paths[0] := FileName;
  Files := HashFiles(Algorithms, Paths, 1, nil);
  if Files[0].Error <> '' then
    Fail(hekIo, FileName + ': ' + Files[0].Error);
  Result := Files[0].Digests[0];
end;

function THashAlgorithm.Combine(const DigestX, DigestY: TBytes; LenY: UInt64): TBytes;
begin
  Result := nil;
  SetLength(Result, DigestLen);
  if (Length(DigestX) <> Length(Result)) or (Length(DigestY) <> Length(Result)) then
    Fail(hekWrongLength, Format('%s: the digest has %d bytes, not %d and %d', [Name, Length(Result), Length(DigestX), Length(DigestY)]));
  Check(hm_combine(@FValue, Pointer(DigestX), Pointer(DigestY), LenY, Pointer(Result), Length(Result)));
end;

{ THasher }

constructor THasher.Create(const Algorithm: THashAlgorithm);
begin
  inherited Create;
  Need;
  Check(hm_hasher_new(@Algorithm.FValue, nil, @FHandle));
  FDigestLen := Algorithm.DigestLen;
end;

constructor THasher.Create(const Algorithm: THashAlgorithm; const Options: THashOptions);
var
  Inputs: hm_inputs;
begin
  inherited Create;
  Need;
  ToInputs(Options, Inputs);
  Check(hm_hasher_new(@Algorithm.FValue, @Inputs, @FHandle));
  FDigestLen := Algorithm.DigestLen;
end;

constructor THasher.Create(const AlgorithmName: string);
begin
  Create(THashAlgorithm.Named(AlgorithmName));
end;

constructor THasher.CreateFromState(const State: TBytes);
begin
  inherited Create;
  Need;
  Check(hm_hasher_import(Pointer(State), Length(State), nil, @FHandle));
  FDigestLen := Algorithm.DigestLen;
end;

destructor THasher.Destroy;
begin
  Close;
  inherited Destroy;
end;

procedure THasher.Close;
begin
  if (Self = nil) or (FHandle = nil) then
    Exit;
  hm_hasher_free(FHandle);
  FHandle := nil;
end;

function THasher.Handle: Phm_hasher;
begin
  if (Self = nil) or (FHandle = nil) then
    Fail(hekBadArgument, 'this hasher is closed');
  Result := FHandle;
end;

procedure THasher.Update(Data: Pointer; Len: NativeUInt);
begin
  Check(hm_hasher_update(Handle, Data, Len));
end;

procedure THasher.Update(const Data: TBytes);
begin
  Check(hm_hasher_update(Handle, Pointer(Data), Length(Data)));
end;

procedure THasher.Update(const Text: string);
var
  Data: RawByteString;
begin
  Data := ToBytes(Text);
  Check(hm_hasher_update(Handle, Pointer(Data), Length(Data)));
end;

procedure THasher.UpdateBits(Data: Pointer; Bits: UInt64);
begin
  Check(hm_hasher_update_bits(Handle, Data, Bits));
end;

function THasher.UpdateStream(Stream: TStream; Count: Int64): UInt64;
var
  Buffer: TBytes;
  Want, Got: Integer;
begin
  Handle;
  if Stream = nil then
    Fail(hekBadArgument, 'there is no stream to read');
  Result := 0;
  Buffer := nil;
  SetLength(Buffer, READ_BYTES);
  while Count <> 0 do
  begin
    Want := READ_BYTES;
    if (Count > 0) and (Count < Want) then
      Want := Integer(Count);
    Got := Stream.Read(Buffer[0], Want);
    if Got <= 0 then
      Exit;
    Update(Pointer(Buffer), Got);
    Inc(Result, Got);
    if Count > 0 then
      Dec(Count, Got);
  end;
end;

function THasher.Final: TBytes;
begin
  Handle;
  Result := nil;
  SetLength(Result, FDigestLen);
  Check(hm_hasher_final(FHandle, Pointer(Result), Length(Result)));
end;

function THasher.FinalHex: string;
begin
  Result := HashToHex(Final);
end;

procedure THasher.FinalTo(Digest: Pointer; DigestBytes: NativeUInt);
begin
  Check(hm_hasher_final(Handle, Digest, DigestBytes));
end;

procedure THasher.Reset;
begin
  Check(hm_hasher_reset(Handle));
end;

function THasher.Clone: THasher;
var
  Copy: Phm_hasher;
begin
  Copy := nil;
  Check(hm_hasher_clone(Handle, @Copy));
  { Not through a constructor, which would create another state first. }
  Result := THasher(THasher.NewInstance);
  Result.FHandle := Copy;
  Result.FDigestLen := FDigestLen;
end;

function THasher.Algorithm: THashAlgorithm;
begin
  Check(hm_hasher_algorithm(Handle, @Result.FValue));
end;

function THasher.ExportState: TBytes;
var
  Len: NativeUInt;
begin
  Handle;
  Result := nil;
  Len := 0;
  SetLength(Result, HM_MAX_STATE_BYTES);
  Check(hm_hasher_export(FHandle, Pointer(Result), Length(Result), @Len));
  SetLength(Result, Len);
end;

{ THashOutput }

constructor THashOutput.Create(Hasher: THasher);
begin
  inherited Create;
  Check(hm_xof_new(Hasher.Handle, @FHandle));
end;

destructor THashOutput.Destroy;
begin
  Close;
  inherited Destroy;
end;

procedure THashOutput.Close;
begin
  if (Self = nil) or (FHandle = nil) then
    Exit;
  hm_xof_free(FHandle);
  FHandle := nil;
end;

procedure THashOutput.Read(Data: Pointer; Len: NativeUInt);
begin
  if (Self = nil) or (FHandle = nil) then
    Fail(hekBadArgument, 'this output is closed');
  Check(hm_xof_read(FHandle, Data, Len));
end;

function THashOutput.Read(Len: NativeUInt): TBytes;
begin
  Result := nil;
  if (Self = nil) or (FHandle = nil) then
    Fail(hekBadArgument, 'this output is closed');
  try
    SetLength(Result, Len);
  except
    on Exception do
      Fail(hekNoMemory, Format('no memory for %u bytes of output', [Len]));
  end;
  Read(Pointer(Result), Len);
end;

{ THashMac }

constructor THashMac.Create(const Algorithm: THashAlgorithm; const Key: TBytes);
begin
  inherited Create;
  Need;
  Check(hm_hmac_new(@Algorithm.FValue, Pointer(Key), Length(Key), @FHandle));
  FDigestLen := Algorithm.DigestLen;
end;

destructor THashMac.Destroy;
begin
  Close;
  inherited Destroy;
end;

procedure THashMac.Close;
begin
  if (Self = nil) or (FHandle = nil) then
    Exit;
  hm_hmac_free(FHandle);
  FHandle := nil;
end;

function THashMac.Handle: Phm_hmac;
begin
  if (Self = nil) or (FHandle = nil) then
    Fail(hekBadArgument, 'this HMAC is closed');
  Result := FHandle;
end;

procedure THashMac.Update(Data: Pointer; Len: NativeUInt);
begin
  Check(hm_hmac_update(Handle, Data, Len));
end;

procedure THashMac.Update(const Data: TBytes);
begin
  Check(hm_hmac_update(Handle, Pointer(Data), Length(Data)));
end;

procedure THashMac.Update(const Text: string);
var
  Data: RawByteString;
begin
  Data := ToBytes(Text);
  Check(hm_hmac_update(Handle, Pointer(Data), Length(Data)));
end;

function THashMac.Final: TBytes;
begin
  Handle;
  Result := nil;
  SetLength(Result, FDigestLen);
  Check(hm_hmac_final(FHandle, Pointer(Result), Length(Result)));
end;

function THashMac.FinalHex: string;
begin
  Result := HashToHex(Final);
end;

function THashMac.Verify(const Code: TBytes): Boolean;
begin
  Result := hm_hmac_verify(Handle, Pointer(Code), Length(Code));
end;

procedure THashMac.Reset;
begin
  Check(hm_hmac_reset(Handle));
end;

function THashMac.Clone: THashMac;
var
  Copy: Phm_hmac;
begin
  Copy := nil;
  Check(hm_hmac_clone(Handle, @Copy));
  Result := THashMac(THashMac.NewInstance);
  Result.FHandle := Copy;
  Result.FDigestLen := FDigestLen;
end;

{ THashParts }

constructor THashParts.Create(const Algorithm: THashAlgorithm; PartLen: NativeUInt);
begin
  inherited Create;
  Need;
  Check(hm_parts_new(@Algorithm.FValue, PartLen, @FHandle));
  FAlgorithm := Algorithm;
  FPartLen := PartLen;
end;

destructor THashParts.Destroy;
begin
  Close;
  inherited Destroy;
end;

procedure THashParts.Close;
begin
  if (Self = nil) or (FHandle = nil) then
    Exit;
  hm_parts_free(FHandle);
  FHandle := nil;
end;

function THashParts.Handle: Phm_parts;
begin
  if (Self = nil) or (FHandle = nil) then
    Fail(hekBadArgument, 'these parts are closed');
  Result := FHandle;
end;

procedure THashParts.Push(Data: Pointer);
var
  Part: Phm_part;
begin
  Handle;
  Part := nil;
  Check(hm_part_new(@FAlgorithm.FValue, FAt, Data, FPartLen, @Part));
  try
    Check(hm_parts_push(FHandle, Part));
  finally
    hm_part_free(Part);
  end;
  Inc(FAt, FPartLen);
end;

function THashParts.Final(Last: Pointer; LastLen: NativeUInt): TBytes;
begin
  Handle;
  Result := nil;
  SetLength(Result, FAlgorithm.DigestLen);
  Check(hm_parts_final(FHandle, Last, LastLen, Pointer(Result), Length(Result)));
end;

{ Files }

type
  TFilesJob = class
    FFiles: THashFiles;
    FLengths: array of NativeUInt;
    FOnProgress: THashProgressEvent;
    FRaised: TObject;
    procedure Keep;
    procedure Done(const F: hm_file);
    function Tick(const P: hm_files_progress): Boolean;
  end;

{ Keeps the exception being handled; the first, if there are several. }
procedure TFilesJob.Keep;
begin
  if FRaised = nil then
    FRaised := TObject(AcquireExceptionObject);
end;

procedure TFilesJob.Done(const F: hm_file);
var
  I: NativeInt;
  At: NativeUInt;
begin
  if F.digests = nil then
  begin
    FFiles[F.index].Error := FromUtf8(F.message);
    Exit;
  end;
  SetLength(FFiles[F.index].Digests, Length(FLengths));
  At := 0;
  for I := 0 to High(FLengths) do
  begin
    SetLength(FFiles[F.index].Digests[I], FLengths[I]);
    Move(PByte(F.digests)[At], FFiles[F.index].Digests[I][0], FLengths[I]);
    Inc(At, FLengths[I]);
  end;
end;

function TFilesJob.Tick(const P: hm_files_progress): Boolean;
var
  Progress: THashFilesProgress;
begin
  Result := True;
  Progress.Bytes := P.bytes;
  Progress.BytesTotal := P.bytes_total;
  Progress.Files := P.files;
  Progress.FilesTotal := P.files_total;
  Progress.Complete := P.complete <> 0;
  FOnProgress(Progress, Result);
end;

{ No exception may leave these two callbacks: it is kept, and raised again when the library has returned. }
function FileDone(user: Pointer; f: Phm_file): Integer; cdecl;
begin
  Result := 1;
  try
    TFilesJob(user).Done(f^);
    Result := 0;
  except
    TFilesJob(user).Keep;
  end;
end;

function FilesTick(user: Pointer; progress: Phm_files_progress): Integer; cdecl;
begin
  Result := 1;
  try
    if TFilesJob(user).Tick(progress^) then
      Result := 0;
  except
    TFilesJob(user).Keep;
  end;
end;

function HashFiles(const Algorithms: THashAlgorithms; const Paths: THashNames; Threads: NativeUInt; OnProgress: THashProgressEvent): THashFiles;
var
  Job: TFilesJob;
  Chosen: array of Phm_algorithm;
  Raw: array of RawByteString;
  Names: array of PAnsiChar;
  Tick: hm_files_tick;
  Error: hm_error;
  Raised: TObject;
  I: NativeInt;
begin
  Need;
  Chosen := nil;
  Raw := nil;
  Names := nil;
  Tick := nil;
  SetLength(Chosen, Length(Algorithms));
  SetLength(Raw, Length(Paths));
  SetLength(Names, Length(Paths));
  Job := TFilesJob.Create;
  try
    SetLength(Job.FFiles, Length(Paths));
    SetLength(Job.FLengths, Length(Algorithms));
    for I := 0 to High(Algorithms) do
    begin
      Chosen[I] := @Algorithms[I].FValue;
      Job.FLengths[I] := Algorithms[I].DigestLen;
    end;
    for I := 0 to High(Paths) do
    begin
      if Pos(#0, Paths[I]) > 0 then
        Fail(hekBadArgument, Format('path %d has a zero byte', [I]));
      Job.FFiles[I].Path := Paths[I];
      Raw[I] := ToBytes(Paths[I]);
      Names[I] := PAnsiChar(Raw[I]);
    end;
    Job.FOnProgress := OnProgress;
    if Assigned(OnProgress) then
      Tick := {$IFDEF FPC_OBJFPC}@{$ENDIF}FilesTick;
    Error := hm_digest_files(Pointer(Chosen), Length(Chosen), Pointer(Names), Length(Names), Threads, {$IFDEF FPC_OBJFPC}@{$ENDIF}FileDone, Tick, Job);
    Raised := Job.FRaised;
    if Raised <> nil then
      raise Raised;
    Check(Error);
    Result := Job.FFiles;
  finally
    Job.Free;
  end;
end;

{ CRCs }

function GoOn(const Algorithm: hm_algorithm; Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
var
  Before, Here, Both: array[0..3] of Byte;
begin
  Before[0] := Byte(Initial shr 24);
  Before[1] := Byte(Initial shr 16);
  Before[2] := Byte(Initial shr 8);
  Before[3] := Byte(Initial);
  Check(hm_digest(@Algorithm, Data, Len, @Here, 4));
  if Initial = 0 then
    Both := Here
  else
    Check(hm_combine(@Algorithm, @Before, @Here, Len, @Both, 4));
  Result := Cardinal(Both[0]) shl 24 or Cardinal(Both[1]) shl 16 or Cardinal(Both[2]) shl 8 or Both[3];
end;

function CalcCRC32(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
begin
  Need;
  Result := GoOn(Crc32Algorithm, Data, Len, Initial);
end;

function CalcCRC32C(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
begin
  Need;
  Result := GoOn(Crc32cAlgorithm, Data, Len, Initial);
end;

{ Digests as text }

function HashToHex(const Digest: TBytes): string;
var
  Text: AnsiString;
begin
  Need;
  Text := StringOfChar(AnsiChar(#0), 2 * Length(Digest));
  Check(hm_to_hex(Pointer(Digest), Length(Digest), PAnsiChar(Text)));
  Result := FromUtf8(PAnsiChar(Text));
end;

function HexToHash(const Hex: string): TBytes;
begin
  Need;
  Result := nil;
  if Odd(Length(Hex)) then
    Fail(hekWrongLength, Format('%d hexadecimal digits are not whole bytes', [Length(Hex)]));
  if Pos(#0, Hex) > 0 then
    Fail(hekBadArgument, 'a zero byte is no hexadecimal digit');
  SetLength(Result, Length(Hex) div 2);
  Check(hm_from_hex(PAnsiChar(ToBytes(Hex)), Pointer(Result), Length(Result)));
end;

function SameHash(const X, Y: TBytes): Boolean;
begin
  Need;
  Result := hm_equal(Pointer(X), Length(X), Pointer(Y), Length(Y));
end;

initialization
  {$IFNDEF HASHMILL_LINK}
  hm_digest := {$IFDEF FPC_OBJFPC}@{$ENDIF}DigestFirst;
  {$ENDIF}
end.
